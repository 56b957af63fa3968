import type {
  ConsoleWebhookReplayAsked,
  ConsoleWebhookRotatedAnswer,
  ConsoleWebhooksAnswer,
  ConsoleWebhookTestedAnswer,
  ConsoleWebhookUntakenAnswer,
} from '@parley/protocol/console/webhook-routes';
import { trySubscription } from '../delivery/events/try-subscription.ts';
import { untakenBy } from '../delivery/webhooks/untaken.ts';
import { WEBHOOK_JOB } from '../delivery/webhooks/webhook-kind.ts';
import type { UndoneJob } from '../platform/jobs/job.ts';
import { type WebhookResult, webhookResults } from '../platform/outbound/webhook-results.ts';
import { endpointAgent, listHooks, rotateEndpoint } from '../rooms/webhooks/endpoints.ts';
import { tryEndpoint } from '../rooms/webhooks/hook-jobs.ts';
import { HOOK_JOB, type HookJob } from '../rooms/webhooks/outbox.ts';
import { DeliveryError } from '../wire/delivery/errors.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import { noteAudit } from './audit.ts';
import type { ConsoleContext } from './create-module.ts';
import { scopeOf, seesAll } from './scope.ts';
import { addressOf } from '../identity/agents/agent-details.ts';

type Listed = ConsoleWebhooksAnswer['webhooks'][number];

const MOST = 200;

/** All endpoints that the person's agents have, whatever is sent to them. A bounded number of statements, however many. */
export async function webhooksOf(
  context: ConsoleContext,
  person: Person,
  asked: string | undefined,
): Promise<ConsoleWebhooksAnswer> {
  const { database, identity, console, rooms: module } = context;
  const ownerId = await scopeOf(context, person, asked);
  const [agents, events, rooms] = await Promise.all([
    console.lately.agentEndpoints(ownerId, MOST),
    console.lately.eventEndpoints(ownerId, MOST),
    listHooks(module.service, ownerId, MOST),
  ]);
  const suffixes = [...agents, ...events, ...rooms].map(({ agent }) => agent);
  const known = await identity.directory.bySuffix(suffixes);
  const slugs = await identity.ownerSlugs([...known.values()].map((agent) => agent.ownerId));
  const endpoints = [
    ...[...agents, ...events].map((row) => ({ scope: row.owner_id, url: row.webhook_url })),
    ...rooms.map(({ id, url }) => ({ scope: id, url })),
  ];
  const results = new Map(
    (await webhookResults(database.read, endpoints)).map((result) => [
      `${result.scope} ${result.url}`,
      result,
    ]),
  );
  const common = (suffix: string, scope: string, url: string, createdAt: number) => {
    const agent = known.get(suffix);
    const slug = slugs.get(agent?.ownerId ?? '') ?? '';
    const answered = answeredBy(results.get(`${scope} ${url}`));
    return {
      owner: slug,
      agent: addressOf(agent ?? { slug: suffix }, slug),
      url,
      ...answered,
      created_at: iso(createdAt),
    };
  };
  const all: Listed[] = [
    ...agents.map((row) => ({
      id: `agent.${row.agent}`,
      kind: 'agent' as const,
      ...common(row.agent, row.owner_id, row.webhook_url, row.created_at),
      event: null,
      enabled: true,
      off: null,
    })),
    ...events.map((row) => ({
      id: `events.${row.id}`,
      kind: 'events' as const,
      ...common(row.agent, row.owner_id, row.webhook_url, row.created_at),
      event: row.event_type,
      enabled: row.paused_until === null,
      off: isoOrNull(row.paused_until),
    })),
    ...rooms.map((row) => ({
      id: `room.${row.id}`,
      kind: 'room' as const,
      ...common(row.agent, row.id, row.url, row.createdAt),
      event: null,
      enabled: row.enabled === 1,
      off: row.enabled === 1 ? null : iso(row.updatedAt),
    })),
  ];
  return { webhooks: all.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1)) };
}

const answeredBy = (result: WebhookResult | undefined) => ({
  delivered: result?.delivered ?? 0,
  failed: result?.failed ?? 0,
  last_status: result?.last_status ?? null,
  last_error: result?.last_error ?? null,
  last_at: isoOrNull(result?.last_at ?? null),
  failing_since: isoOrNull(result?.failing_since ?? null),
});

/** What is behind an id, if the person may change it: an agent, an endpoint or a subscription. */
async function ownEndpoint(context: ConsoleContext, person: Person, id: string) {
  const [, kind, ref = ''] = /^(agent|room|events)\.(.+)$/.exec(id) ?? [];
  const ownerId = await ownerOf(context, kind, ref);
  if (ownerId === undefined || (person.ownerId !== undefined && person.ownerId !== ownerId))
    throw new DeliveryError('not_found', 'there is no such endpoint');
  if (!seesAll(person))
    throw new DeliveryError('operator_only', 'an operator changes nothing of an owner here');
  return { kind: kind as Listed['kind'], ref, ownerId };
}

async function ownerOf(
  { identity, rooms, console }: ConsoleContext,
  kind: string | undefined,
  ref: string,
): Promise<string | undefined> {
  if (kind === 'events') return await console.lately.subscriptionOwner(ref);
  const agent = kind === 'room' ? await endpointAgent(rooms.service, ref) : ref;
  return agent === undefined ? undefined : await identity.directory.ownerIdOf(agent);
}

const MOST_UNTAKEN = 500;

type Untaken = ConsoleWebhookUntakenAnswer['deliveries'][number];

/** The jobs behind what was not taken, each with how it is shown. */
async function undoneOf(context: ConsoleContext, endpoint: Awaited<ReturnType<typeof ownEndpoint>>) {
  const { kind, ref, ownerId } = endpoint;
  if (kind === 'room') {
    const undone = await context.jobs.undone<HookJob>(HOOK_JOB, ref, MOST_UNTAKEN);
    const looks = undone.map((job) => {
      const { delivery_id: id, type, room_id: room } = job.payload.body;
      return { job, look: lookOf(job, id, type, `/rooms/${room}`) };
    });
    return { queue: HOOK_JOB, group: ref, looks };
  }
  const by = kind === 'agent' ? ({ kind, agent: ref } as const) : ({ kind, subscription: ref } as const);
  const undone = await untakenBy(context, ownerId, by, MOST_UNTAKEN);
  const looks = undone.map((job) => {
    const { id, ref: about } = job.payload;
    return {
      job,
      look:
        kind === 'agent' ? lookOf(job, id, 'message', `/messages/${about}`) : lookOf(job, id, 'events', null),
    };
  });
  return { queue: WEBHOOK_JOB, group: ownerId, looks };
}

const lookOf = (job: UndoneJob, id: string, event: string, view: string | null): Untaken => ({
  id,
  event,
  view,
  attempts: job.attempts,
  error: job.error,
  at: iso(job.createdAt),
  given_up: job.diedAt !== null,
});

export async function untakenOf(
  context: ConsoleContext,
  person: Person,
  id: string,
): Promise<ConsoleWebhookUntakenAnswer> {
  const { looks } = await undoneOf(context, await ownEndpoint(context, person, id));
  return { deliveries: looks.map(({ look }) => look).toSorted((a, b) => (a.at < b.at ? 1 : -1)) };
}

/** What it did not take, or what of it is asked for: what waits is tried now, and what a room gave up begins anew. */
export async function replayHooks(
  context: ConsoleContext,
  person: Person,
  id: string,
  { since, delivery }: ConsoleWebhookReplayAsked,
): Promise<number> {
  const endpoint = await ownEndpoint(context, person, id);
  const { queue, group, looks } = await undoneOf(context, endpoint);
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const wanted = looks.filter(
    ({ job, look }) => job.createdAt >= from && (delivery === undefined || look.id === delivery),
  );
  const again = await context.jobs.tryNow(
    queue,
    group,
    wanted.map(({ job }) => job),
  );
  const { ownerId } = endpoint;
  await noteAudit(context, { ownerId, actor: person.role, action: 'replayed', object: `webhook ${id}` });
  return again;
}

/** One request to an endpoint of rooms or events. An agent's own is tried by a message, which shows its whole way. */
export async function testHook(
  context: ConsoleContext,
  person: Person,
  id: string,
): Promise<ConsoleWebhookTestedAnswer> {
  const { kind, ref, ownerId } = await ownEndpoint(context, person, id);
  const answered =
    kind === 'room'
      ? await tryEndpoint(context, ref)
      : kind === 'events'
        ? await trySubscription(context.delivery.events.subscriptions, ref)
        : undefined;
  if (!answered) throw new DeliveryError('not_found', 'there is no such endpoint of rooms or events');
  await noteAudit(context, { ownerId, actor: person.role, action: 'tested', object: `webhook ${id}` });
  return answered;
}

export async function rotateHook(
  context: ConsoleContext,
  person: Person,
  id: string,
): Promise<ConsoleWebhookRotatedAnswer> {
  const { kind, ref, ownerId } = await ownEndpoint(context, person, id);
  const made = kind === 'room' ? await rotateEndpoint(context.rooms.service, ref) : undefined;
  if (!made) throw new DeliveryError('not_found', 'there is no such endpoint of rooms');
  await noteAudit(context, {
    ownerId,
    actor: person.role,
    action: 'rotated_secret',
    object: `webhook ${id}`,
  });
  return { key_id: made.keyId, secret: made.secret };
}
