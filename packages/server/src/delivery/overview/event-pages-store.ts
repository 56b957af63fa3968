import type { EventType } from '@parley/protocol/delivery/vocabulary';
import type { Reader } from '../../platform/database/database.ts';

/** An event as a list shows it. Its payload may hold texts: only ids are taken from it. */
export interface ListedEvent {
  readonly id: number;
  readonly agent: string;
  readonly event_type: EventType;
  readonly payload: string;
  readonly emitted_at: number;
}

export interface EventAsk {
  /** By suffix; undefined: of all agents. */
  readonly agents: readonly string[] | undefined;
  /** Only those with a smaller id. */
  readonly before: number;
  readonly limit: number;
}

interface Tables {
  agent_events: ListedEvent;
}

const EVENT = ['id', 'agent', 'event_type', 'payload', 'emitted_at'] as const;

/** Newest first: of each agent the end of its stretch of the index, or the end of the table. */
export async function eventsBefore(
  reader: Reader,
  { agents, before, limit }: EventAsk,
): Promise<ListedEvent[]> {
  const kysely = reader.kysely<Tables>();
  const page = () =>
    kysely
      .selectFrom('agent_events')
      .select(EVENT)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(limit);
  if (!agents) return await page().execute();
  const [first, ...others] = agents.map((agent) =>
    // A part of a union that has an order of its own has to be a table for both databases.
    kysely.selectFrom(page().where('agent', '=', agent).as('part')).selectAll(),
  );
  if (!first) return [];
  return await kysely
    .selectFrom(others.reduce((all, next) => all.unionAll(next), first).as('parts'))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
