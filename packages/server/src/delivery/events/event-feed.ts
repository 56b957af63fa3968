import { EVENT_WAIT_SECONDS } from '@parley/protocol/delivery/limits';
import type { EventsAnswer, EventsQuery } from '@parley/protocol/delivery/types';
import type { EventType } from '@parley/protocol/delivery/vocabulary';
import type { Database } from '../../platform/database/database.ts';
import { longPoll } from '../../platform/streams/long-poll.ts';
import type { StreamEvent } from '../../platform/streams/stream-event.ts';
import type { Topics } from '../../platform/streams/topics.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { type EventRow, eventsAfter, typedEventsAfter } from './event-store.ts';
import { toldEvents } from './inline-bodies.ts';
import { ackTo, pullSubscriptions, type SubscriptionRow } from './subscription-store.ts';
import { eventTypeOf } from './subscriptions.ts';

/** An event as a stream sees it; each is read for itself, so none names the one before. */
export interface FedEvent extends StreamEvent {
  readonly row: EventRow;
}

/** What happened to each agent, to be read after a cursor. */
export interface EventFeed {
  readonly database: Database;
  readonly topics: Topics<FedEvent>;
  readonly spellAgent: (suffix: string) => string;
}

/** What happened to an agent after a cursor. Reading on says that everything before has been seen. */
export async function readEvents(
  feed: EventFeed,
  agent: AgentRef,
  query: EventsQuery,
  signal: AbortSignal,
): Promise<EventsAnswer> {
  const { database, spellAgent } = feed;
  const type = query.event_type === undefined ? undefined : eventTypeOf(query.event_type);
  const found = await look(feed, agent.suffix, type, query, signal);
  const rows = found.slice(0, query.limit);
  const last = rows.at(-1)?.id ?? null;
  const pulls = rows.length === 0 ? [] : await pullSubscriptions(database.read, agent.suffix);
  if (last !== null) await acknowledgeEvents(feed, pulls, type, last);
  const inline = new Set(pulls.filter((pull) => pull.inline_body === 1).map((pull) => pull.event_type));
  const told = await toldEvents(database.read, rows, (each) => inline.has(each));
  const recipient = spellAgent(agent.suffix);
  return {
    events: told.map(({ id, event_type, ...event }) => ({
      id,
      event_type,
      recipient_agent_id: recipient,
      ...event,
    })),
    next_cursor: last,
    has_more: found.length > rows.length,
  };
}

async function look(
  { database, topics }: EventFeed,
  agent: string,
  type: EventType | undefined,
  { since, limit, wait }: EventsQuery,
  signal: AbortSignal,
): Promise<readonly EventRow[]> {
  const { hub, topic } = topics.of(agent);
  const read = (after: number, most: number): Promise<EventRow[]> =>
    type === undefined
      ? eventsAfter(database.read, agent, after, most)
      : typedEventsAfter(database.read, { agent, type, after }, most);
  // One more than is shown, to know whether there are more.
  if (wait === undefined) return await read(since, limit + 1);
  const source = { read: async (after: number, most: number) => (await read(after, most)).map(fed) };
  const { events } = await longPoll(hub, {
    topic,
    after: since,
    source,
    limit: limit + 1,
    waitMs: EVENT_WAIT_SECONDS * 1000,
    signal,
  });
  return events.map(({ row }) => row);
}

async function acknowledgeEvents(
  { database }: EventFeed,
  pulls: readonly SubscriptionRow[],
  type: EventType | undefined,
  upTo: number,
): Promise<void> {
  const behind = pulls.filter(
    (pull) => (type === undefined || pull.event_type === type) && (pull.last_acked_event_id ?? 0) < upTo,
  );
  if (behind.length === 0) return;
  await database.write(async (tx) => {
    for (const { id } of behind.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await ackTo(tx, id, upTo);
  });
}

export const fed = (row: EventRow): FedEvent => ({ seq: row.id, prev: 0, row });
