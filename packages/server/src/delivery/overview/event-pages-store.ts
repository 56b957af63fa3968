import { together } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { eventTable } from '../events/event-store.ts';

/** An event as a list shows it. Its payload may hold texts: only ids are taken from it. */
const listed = eventTable.pick('id', 'agent', 'event_type', 'payload', 'emitted_at');

export type ListedEvent = RowOf<typeof listed>;

export interface EventAsk {
  /** By suffix; undefined: of all agents. */
  readonly agents: readonly string[] | undefined;
  /** Only those with a smaller id. */
  readonly before: number;
  readonly limit: number;
}

/** Newest first: of each agent the end of its stretch of the index, or the end of the table. */
export async function eventsBefore(
  reader: Reader,
  { agents, before, limit }: EventAsk,
): Promise<ListedEvent[]> {
  const page = () =>
    listed.from(reader).select(listed.names).where('id', '<', before).orderBy('id', 'desc').limit(limit);
  if (!agents) return await page().execute();
  const parts = agents.map((agent) => page().where('agent', '=', agent));
  return (await together(reader, parts)?.orderBy('id', 'desc').limit(limit).execute()) ?? [];
}
