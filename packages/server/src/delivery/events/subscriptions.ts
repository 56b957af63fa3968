import { isExecutionId as isUuid } from '@parley/protocol/delivery/ids';
import type { SubscriptionAnswer, SubscriptionCreate } from '@parley/protocol/delivery/types';
import { EVENT_TARGETS, EVENT_TYPES, type EventType } from '@parley/protocol/delivery/vocabulary';
import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import { makeSecret, NO_SECRET, openSecret } from '../../platform/auth/signing-secret.ts';
import { uuid } from '../../platform/ids.ts';
import type { SigningSecrets } from '../../platform/outbound/webhook-signer.ts';
import type { Platform } from '../../platform.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import { wordOf } from '../../wire/delivery/words.ts';
import { checkedUrl } from '../checked-url.ts';
import type { Sweeps } from '../records/sweeps.ts';
import type { DeliverySettings } from '../settings.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import type { AgentEvents } from './agent-events.ts';
import { newestEvent } from './event-store.ts';
import {
  ackTo,
  activeSubscriptions,
  endSubscription,
  insertSubscription,
  subscriptionById,
  type SubscriptionRow,
} from './subscription-store.ts';

/** What the rules of subscriptions work with. */
export interface SubscriptionContext
  extends Pick<
    Platform,
    'database' | 'clock' | 'random' | 'jobs' | 'secrets' | 'outbound' | 'addressRules' | 'resolve'
  > {
  readonly settings: DeliverySettings;
  readonly events: AgentEvents;
  readonly sweeps: Sweeps;
  readonly dispatcher: WebhookDispatcher;
}

/** Who wants to be told of what. An agent has one active subscription of each type and target at most. */
export async function subscribe(
  context: SubscriptionContext,
  agent: AgentRef,
  wish: SubscriptionCreate,
): Promise<SubscriptionAnswer> {
  const { database, clock, random, events } = context;
  const type = eventTypeOf(wish.event_type);
  const { target, url } = targetOf(wish);
  const warning = url === null ? null : await checkedUrl(context, url, refusedUrl);
  const id = uuid(random);
  const secret = url === null ? null : makeSecret(context, purpose(id), WEBHOOK_SECRET_PREFIX);
  const subscription = await database.write(async (tx) => {
    // What is written from now on is told: neither an event twice nor one between.
    await events.lock(tx, agent.suffix);
    const row: SubscriptionRow = {
      id,
      owner_id: agent.ownerId,
      agent: agent.suffix,
      event_type: type,
      target,
      webhook_url: url,
      webhook_secret: secret?.sealed.current ?? null,
      inline_body: wish.inline_body ? 1 : 0,
      mark: await newestEvent(tx, agent.suffix),
      batch_end: null,
      queued: 0,
      last_posted_at: null,
      last_dispatched_at: null,
      last_acked_event_id: null,
      failures: 0,
      paused_until: null,
      created_at: clock.now(),
      detached_at: null,
    };
    if (!(await insertSubscription(tx, row))) throw new DeliveryError('subscription_exists');
    return row;
  });
  return {
    ...shown(context, subscription),
    webhook_url: url,
    webhook_secret: secret?.secret ?? null,
    ...(warning !== null && { warning }),
  };
}

export async function subscriptionsOf(
  context: SubscriptionContext,
  agent: AgentRef,
): Promise<SubscriptionAnswer[]> {
  const rows = await activeSubscriptions(context.database.read, agent.suffix);
  return rows.map((row) => shown(context, row));
}

export async function ackEvents(
  { database }: SubscriptionContext,
  agent: AgentRef,
  id: string,
  eventId: number,
): Promise<void> {
  await database.write(async (tx) => {
    const known = isUuid(id) ? await subscriptionById(tx, id) : undefined;
    if (known?.agent !== agent.suffix || known.detached_at !== null) throw notFound();
    await ackTo(tx, id, eventId);
  });
}

export async function unsubscribe(
  { database, clock, sweeps, settings }: SubscriptionContext,
  agent: AgentRef,
  id: string,
): Promise<void> {
  await database.write(async (tx) => {
    const now = clock.now();
    if (!isUuid(id) || !(await endSubscription(tx, agent.suffix, id, now))) throw notFound();
    await sweeps.ensure(tx, now + settings.events.retentionMs);
  });
}

/** What signs the posts of one; undefined when it has no endpoint any more. */
export const signingOf = (
  context: SubscriptionContext,
  { id, webhook_secret: current }: SubscriptionRow,
): SigningSecrets | undefined => openSecret(context, { ...NO_SECRET, current }, purpose(id));

const shown = ({ settings }: SubscriptionContext, row: SubscriptionRow): SubscriptionAnswer => ({
  id: row.id,
  subscriber_agent_id: settings.spellAgent(row.agent),
  event_type: row.event_type,
  delivery_target: row.target,
  webhook_url: row.webhook_url === null ? null : new URL(row.webhook_url).origin,
  webhook_secret: null,
  inline_body: row.inline_body === 1,
  last_dispatched_event_id: row.last_dispatched_at === null ? null : row.mark,
  last_dispatched_at: isoOrNull(row.last_dispatched_at),
  last_acked_event_id: row.last_acked_event_id,
  consecutive_failures: row.failures,
  paused_until: isoOrNull(row.paused_until),
  created_at: iso(row.created_at),
  detached_at: isoOrNull(row.detached_at),
});

const purpose = (id: string): string => `subscription-webhook-secret:${id}`;
const notFound = (): DeliveryError => new DeliveryError('subscription_not_found');

export const eventTypeOf = (word: string): EventType =>
  wordOf(EVENT_TYPES, word, 'event_type', 'unknown_event_type');

const refusedUrl = (why: string): DeliveryError =>
  new DeliveryError('invalid_webhook_url', `webhook_url: ${why}`);

const refused = (why: string): DeliveryError => new DeliveryError('invalid_delivery_target', why);

/** Whoever pulls has no endpoint, and whoever is posted to has one. */
function targetOf({ delivery_target: word, webhook_url: given }: SubscriptionCreate) {
  const target = wordOf(EVENT_TARGETS, word, 'delivery_target', 'invalid_delivery_target');
  const url = given?.trim() ? given.trim() : null;
  if (target === 'pull' && url !== null) throw refused('pull takes no webhook_url');
  if (target === 'webhook' && url === null) throw refused('webhook needs a webhook_url');
  return { target, url };
}
