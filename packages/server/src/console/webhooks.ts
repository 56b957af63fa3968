import type {
  ConsoleWebhookRotatedAnswer,
  ConsoleWebhooksAnswer,
} from '@parley/protocol/console/webhook-routes';
import { type WebhookResult, webhookResults } from '../platform/outbound/webhook-results.ts';
import { listHooks } from '../rooms/overview/endpoint-looks.ts';
import { endpointAgent, rotateEndpoint } from '../rooms/webhooks/endpoints.ts';
import { HOOK_JOB } from '../rooms/webhooks/outbox.ts';
import { DeliveryError } from '../wire/delivery/errors.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import { noteAudit } from './audit.ts';
import type { ConsoleContext } from './create-module.ts';
import { scopeOf } from './scope.ts';

type Listed = ConsoleWebhooksAnswer['webhooks'][number];

const MOST = 200;

/** All endpoints that the person's agents have, whatever is sent to them. A bounded number of statements, however many. */
export async function webhooksOf(
  context: ConsoleContext,
  person: Person,
  asked: string | undefined,
): Promise<ConsoleWebhooksAnswer> {
  const { database, identity, console, rooms: module } = context;
  const { read } = database;
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
    (await webhookResults(read, endpoints)).map((result) => [`${result.scope} ${result.url}`, result]),
  );
  const common = (suffix: string, scope: string, url: string, createdAt: number) => {
    const agent = known.get(suffix);
    const slug = slugs.get(agent?.ownerId ?? '') ?? '';
    const answered = answeredBy(results.get(`${scope} ${url}`));
    return {
      owner: slug,
      agent: `${agent?.slug ?? suffix}@${slug}`,
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
      ...common(row.agent, row.id, row.url, row.created_at),
      event: null,
      enabled: row.enabled === 1,
      off: row.enabled === 1 ? null : iso(row.updated_at),
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

/** The endpoint of rooms behind an id, if the person may change it. */
async function ownRoomEndpoint(
  context: ConsoleContext,
  person: Person,
  id: string,
): Promise<{ endpoint: string; ownerId: string }> {
  const endpoint = id.startsWith('room.') ? id.slice('room.'.length) : '';
  const agent = await endpointAgent(context.rooms.service, endpoint);
  const ownerId = agent === undefined ? undefined : await context.identity.directory.ownerIdOf(agent);
  if (ownerId === undefined || (person.ownerId !== undefined && person.ownerId !== ownerId))
    throw new DeliveryError('not_found', 'there is no such endpoint of rooms');
  if (person.role === 'operator' && person.sees !== 'all')
    throw new DeliveryError('operator_only', 'an operator changes nothing of an owner here');
  return { endpoint, ownerId };
}

const MOST_REPLAYED = 500;

export async function replayHooks(context: ConsoleContext, person: Person, id: string): Promise<number> {
  const { endpoint, ownerId } = await ownRoomEndpoint(context, person, id);
  const again = await context.jobs.retryDeadOf(HOOK_JOB, endpoint, MOST_REPLAYED);
  await noteAudit(context, { ownerId, actor: person.role, action: 'replayed', object: `webhook ${id}` });
  return again;
}

export async function rotateHook(
  context: ConsoleContext,
  person: Person,
  id: string,
): Promise<ConsoleWebhookRotatedAnswer> {
  const { endpoint, ownerId } = await ownRoomEndpoint(context, person, id);
  const made = await rotateEndpoint(context.rooms.service, endpoint);
  if (!made) throw new DeliveryError('not_found', 'there is no such endpoint of rooms');
  await noteAudit(context, {
    ownerId,
    actor: person.role,
    action: 'rotated_secret',
    object: `webhook ${id}`,
  });
  return { key_id: made.keyId, secret: made.secret };
}
