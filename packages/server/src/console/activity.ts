import type { ActivityAnswer } from '@parley/protocol/console/view-routes';
import type { activityQuery } from '@parley/protocol/console/view-schemas';
import type { z } from 'zod';
import type { ListedEvent } from '../delivery/overview/lately.ts';
import { iso } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import { auditBefore, type AuditRow } from './audit-store.ts';
import type { ConsoleContext } from './create-module.ts';
import { notOurs, placeOf } from './scope.ts';
import { addressOf } from '../identity/agents/agent-details.ts';

type Line = ActivityAnswer['lines'][number];

type Ask = z.output<typeof activityQuery>;

/** How much one page looks through where something is looked for; the next page goes on from there. */
const WINDOW = 1_000;
/** Above every id there is, and short enough for a cursor. */
const END = 10 ** 15 - 1;

type Entry = { readonly at: number } & (
  | { readonly audit: AuditRow; readonly event?: never }
  | { readonly event: ListedEvent; readonly audit?: never }
);

/**
 * What people did at the console and what happened to agents, as one stream, newest first. Of an owner: what concerns it, looks of
 * operators included. Of an operator: everything. It holds no text, and what is looked for is looked for in what is shown.
 */
export async function activityOf(
  context: ConsoleContext,
  { ownerId }: Person,
  { cursor, limit, actor, kind, q }: Ask,
): Promise<ActivityAnswer> {
  const { database, console } = context;
  const place = placeOf(cursor);
  const from = { audit: place?.at ?? END, event: placedEvent(place?.id) };
  const looksFor = [actor, kind, q].some((each) => each !== undefined && each !== '');
  const most = looksFor ? WINDOW : limit;
  const [audits, events] = await Promise.all([
    auditBefore(database.read, ownerId, from.audit, most + 1),
    console.lately.events(ownerId, from.event, most + 1),
  ]);
  const entries: readonly Entry[] = [
    ...audits.map((audit) => ({ at: audit.at, audit })),
    ...events.map((event) => ({ at: event.emitted_at, event })),
  ].toSorted((a, b) => b.at - a.at);
  const lines = await linesOf(context, entries.slice(0, most));
  const page: Line[] = [];
  let looked = 0;
  for (const line of lines) {
    if (page.length === limit) break;
    looked += 1;
    if (isWanted(line, { actor, kind, q })) page.push(line);
  }
  const next = entries.slice(0, looked).reduce(
    (low, { audit, event }) => ({
      audit: Math.min(low.audit, audit?.id ?? END),
      event: Math.min(low.event, event?.id ?? END),
    }),
    from,
  );
  return { lines: page, next: looked < entries.length ? `${next.audit}.${next.event}` : null };
}

function placedEvent(id: string | undefined): number {
  const place = Number(id ?? END);
  if (!Number.isSafeInteger(place)) throw notOurs();
  return place;
}

function isWanted({ actor, action, object, owner }: Line, ask: Pick<Ask, 'actor' | 'kind' | 'q'>): boolean {
  if (ask.kind && action !== ask.kind) return false;
  if (ask.actor && actor !== ask.actor && !(actor.includes('@') && actor.startsWith(ask.actor))) return false;
  const words = `${actor} ${action} ${object} ${owner ?? ''}`.toLowerCase();
  return !ask.q || words.includes(ask.q.toLowerCase());
}

async function linesOf({ identity }: ConsoleContext, entries: readonly Entry[]): Promise<Line[]> {
  const agents = await identity.directory.bySuffix(entries.flatMap(({ event }) => event?.agent ?? []));
  const owners = entries.flatMap(({ audit, event }) => {
    return (audit ? audit.ownerId : agents.get(event.agent)?.ownerId) ?? [];
  });
  const slugs = await identity.ownerSlugs(owners);
  return entries.map(({ audit, event }) => {
    if (audit) return auditLine(audit, slugs.get(audit.ownerId ?? '') ?? null);
    const agent = agents.get(event.agent);
    const owner = agent ? (slugs.get(agent.ownerId) ?? null) : null;
    return eventLine(event, agent && owner !== null ? addressOf(agent, owner) : event.agent, owner);
  });
}

const auditLine = (row: AuditRow, owner: string | null): Line => ({
  id: `audit.${row.id}`,
  source: 'audit',
  at: iso(row.at),
  actor: row.actor,
  owner,
  action: row.action,
  object: row.object,
  view: null,
});

/** What an event is about, by the first of these that it names. */
const ABOUT: readonly (readonly [string, (id: string) => string])[] = [
  ['message_id', (id) => `/messages/${id}`],
  ['execution_id', (id) => `/executions?id=${id}`],
  ['room_id', (id) => `/rooms/${id}`],
];

function eventLine(row: ListedEvent, actor: string, owner: string | null): Line {
  const payload = JSON.parse(row.payload) as Readonly<Record<string, unknown>>;
  const named = ABOUT.flatMap(([member, view]) => {
    const id = payload[member];
    return typeof id === 'string' ? [{ id, view: view(id) }] : [];
  })[0];
  const label = payload['label'];
  return {
    id: `event.${row.id}`,
    source: 'event',
    at: iso(row.emitted_at),
    actor,
    owner,
    action: row.event_type,
    object: named?.id ?? (typeof label === 'string' ? `session ${label}` : ''),
    view: named?.view ?? null,
  };
}
