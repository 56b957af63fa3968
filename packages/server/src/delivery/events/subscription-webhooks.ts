import { EVENT_RETRY_WAITS, EVENTS_PER_POST, SPACED_PRIORITY } from '@parley/protocol/delivery/limits';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { type Json, signedJson } from '../../wire/delivery/signed-json.ts';
import type { RetryPolicy } from '../webhooks/retry-schedule.ts';
import type { AttemptReport, Outgoing, RunningDelivery, WebhookKind } from '../webhooks/webhook-kind.ts';
import { type EventRow, typedEventsAfter } from './event-store.ts';
import { toldEvents } from './inline-bodies.ts';
import {
  lockEndpoints,
  lockSubscription,
  patchSubscription,
  subscriptionById,
  type SubscriptionRow,
} from './subscription-store.ts';
import { signingOf, type SubscriptionContext } from './subscriptions.ts';

/** Until they are taken, or nobody wants them any more. */
const RETRIES: RetryPolicy = {
  maxAttempts: Number.POSITIVE_INFINITY,
  waits: EVENT_RETRY_WAITS,
  retriesEverything: true,
};

/**
 * Events to the endpoints of subscriptions, in the order of their ids.
 *
 *   idle ── event ──► queued ── begins ──► posting ── 2xx ──► mark moves; queued again when there is more, else idle
 *                       ▲                     │
 *                       └── wait, or a pause ─┴── anything else: the same events again, under the same delivery id
 *
 * There is one job of a subscription at most, and the batch is fixed when its first attempt begins: a receiver that drops
 * repeats by their delivery id misses nothing.
 */
export const subscriptionWebhooks = (context: SubscriptionContext): WebhookKind => ({
  kind: 'subscription',
  begin: (tx, delivery) => begin(context, tx, delivery),
  compose: (delivery) => compose(context, delivery),
  record: (tx, delivery, report) => record(context, tx, delivery, report),
});

/** An event was written that endpoints of its agent want. */
export async function postEvent(
  context: SubscriptionContext,
  tx: Tx,
  { agent, event_type: type, priority }: EventRow,
): Promise<void> {
  const endpoints = await lockEndpoints(tx, agent);
  const lastPost = Math.max(0, ...endpoints.map(({ last_posted_at: at }) => at ?? 0));
  for (const endpoint of endpoints) {
    if (endpoint.event_type !== type || endpoint.queued === 1) continue;
    await patchSubscription(tx, endpoint.id, { queued: 1 });
    await queue(context, tx, endpoint, priority === SPACED_PRIORITY ? lastPost : undefined);
  }
}

async function begin({ clock }: SubscriptionContext, tx: Tx, { ref }: RunningDelivery): Promise<boolean> {
  const subscription = await lockSubscription(tx, idOf(ref));
  if (!subscription) return false;
  const end = subscription.batch_end ?? (await eventsOf(tx, subscription)).at(-1)?.id;
  if (end === undefined) {
    await patchSubscription(tx, subscription.id, { queued: 0 });
    return false;
  }
  await patchSubscription(tx, subscription.id, { batch_end: end, last_posted_at: clock.now() });
  return true;
}

async function compose(
  context: SubscriptionContext,
  { id, ref }: RunningDelivery,
): Promise<Outgoing | undefined> {
  const { read } = context.database;
  const subscription = await subscriptionById(read, idOf(ref));
  if (subscription?.batch_end == null) return undefined;
  const rows = await eventsOf(read, subscription, subscription.batch_end);
  if (rows.length === 0) return undefined;
  const events = await toldEvents(read, rows, () => subscription.inline_body === 1);
  return postOf(context, subscription, id, events, RETRIES);
}

/** Undefined where there is no endpoint any more. */
export function postOf(
  context: SubscriptionContext,
  subscription: SubscriptionRow,
  deliveryId: string,
  events: readonly Json[],
  retries: RetryPolicy,
): Outgoing | undefined {
  const secrets = signingOf(context, subscription);
  if (subscription.webhook_url === null || !secrets) return undefined;
  return {
    url: subscription.webhook_url,
    secrets,
    body: signedJson({ delivery_id: deliveryId, subscription_id: subscription.id, events }),
    headers: { 'X-CueAPI-Event-Count': String(events.length) },
    timeoutMs: context.settings.webhookTimeoutMs,
    retries,
  };
}

async function record(
  context: SubscriptionContext,
  tx: Tx,
  { ref }: RunningDelivery,
  { next, status }: AttemptReport,
): Promise<boolean | number> {
  const { clock, settings } = context;
  const subscription = await lockSubscription(tx, idOf(ref));
  if (subscription?.batch_end == null) return false;
  // An endpoint that was away for longer than events are kept.
  const forgotten =
    next.kind === 'given_up' &&
    status === null &&
    (await eventsOf(tx, subscription, subscription.batch_end)).length === 0;
  if (next.kind === 'delivered' || forgotten) {
    await moveOn(context, tx, subscription, { delivered: next.kind === 'delivered' });
    return false;
  }
  const now = clock.now();
  const failures = subscription.failures + 1;
  const paused = failures >= settings.events.breakerFailures;
  const pausedUntil = paused ? now + settings.events.breakerPauseMs : null;
  await patchSubscription(tx, subscription.id, { failures, paused_until: pausedUntil });
  const longest = EVENT_RETRY_WAITS.at(-1) ?? 0;
  return pausedUntil ?? (next.kind === 'again' ? next.at : now + longest);
}

async function moveOn(
  context: SubscriptionContext,
  tx: Tx,
  subscription: SubscriptionRow,
  { delivered }: { delivered: boolean },
): Promise<void> {
  const moved = { ...subscription, mark: subscription.batch_end ?? subscription.mark };
  const more = await eventsOf(tx, moved);
  await patchSubscription(tx, subscription.id, {
    mark: moved.mark,
    batch_end: null,
    queued: more.length > 0 ? 1 : 0,
    failures: 0,
    paused_until: null,
    ...(delivered && { last_dispatched_at: context.clock.now() }),
  });
  if (more.length === 0) return;
  const spaced = more.some(({ priority }) => priority === SPACED_PRIORITY);
  await queue(context, tx, subscription, spaced ? (subscription.last_posted_at ?? 0) : undefined);
}

async function queue(
  { dispatcher, clock, settings }: SubscriptionContext,
  tx: Tx,
  { id, owner_id: ownerId }: SubscriptionRow,
  lastPost: number | undefined,
): Promise<void> {
  const now = clock.now();
  const dueAt = lastPost === undefined ? now : Math.max(now, lastPost + settings.events.spacedPostMs);
  const delivery = { ownerId, kind: 'subscription', ref: refOf(id), executionId: null, body: null } as const;
  await dispatcher.queue(tx, delivery, dueAt);
}

/** Sorts behind those of messages: the dispatcher locks in this order, as whoever writes events of messages does. */
const refOf = (id: string): string => `sub:${id}`;
const idOf = (ref: string): string => ref.slice('sub:'.length);

/** Those that it has still to be told of, up to the end of its batch where there is one. */
const eventsOf = (
  reader: Reader,
  { agent, event_type: type, mark: after }: SubscriptionRow,
  upTo?: number,
): Promise<EventRow[]> => typedEventsAfter(reader, { agent, type, after, upTo }, EVENTS_PER_POST);
