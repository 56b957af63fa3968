import type { SentQuery } from '@parley/protocol/delivery/types';
import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import { countOf, given, newest } from '../../../platform/database/built.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { messageTable, type MessageView, selectViews, TRAVEL } from '../../records/message-row.ts';
import type { RecordTables } from '../../records/record-tables.ts';
import type { Box } from '../../records/tally-store.ts';
import { OVER_STATES } from '../../records/message-states.ts';

/** The agent and its counterpart by suffix. */
export interface BoxFilter extends Pick<SentQuery, 'since' | 'thread_id' | 'counterpart'> {
  readonly box: Box;
  readonly agent: string;
  readonly states: readonly MessageState[];
}

type BoxStretch = Pick<SentQuery, 'limit' | 'offset'>;

/** The inbox as nearly everybody asks for it: what is open, newest first. */
export function openInbox(
  reader: Reader,
  agent: string,
  { since, limit, offset }: BoxStretch & { since: number },
): Promise<MessageView[]> {
  return reader.all<MessageView>(selectViews`
    WHERE m.recipient = ${agent} AND m.queued_at IS NOT NULL AND m.state NOT IN ${OVER_STATES}
      AND m.created_at > ${since}
    ORDER BY m.created_at DESC, m.id DESC LIMIT ${limit} OFFSET ${offset}`);
}

/** The ids of a page, newest first. Each state is its own stretch of the index, so that rare ones are found at once. */
export async function filteredIds(reader: Reader, filter: BoxFilter, page: BoxStretch): Promise<string[]> {
  const reach = page.limit + page.offset;
  const byState = filter.box === 'inbox' || filter.counterpart !== undefined;
  const split = byState && filter.thread_id === undefined;
  const groups = split ? filter.states.map((state) => [state]) : [filter.states];
  const found: { id: string; created_at: number }[] = [];
  for (const states of groups) {
    const rows = await matching(reader, { ...filter, states })
      .select(['id', 'created_at'])
      .$call(newest('created_at', 'id', reach))
      .execute();
    found.push(...rows);
  }
  const sorted = found.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
  return sorted.slice(page.offset, reach).map(({ id }) => id);
}

export async function countFiltered(reader: Reader, filter: BoxFilter): Promise<number> {
  return await countOf(matching(reader, filter));
}

function matching(reader: Reader, filter: BoxFilter) {
  const { box, agent, states, since, thread_id, counterpart } = filter;
  const [own, other] =
    box === 'inbox' ? (['recipient', 'sender'] as const) : (['sender', 'recipient'] as const);
  let query = messageTable
    .from(reader)
    .where(own, '=', agent)
    .where('state', 'in', [...states])
    .where((is) => is.and(given({ thread_id, [other]: counterpart })));
  if (box === 'inbox') query = query.where('queued_at', 'is not', null);
  if (since !== undefined) query = query.where('created_at', '>', since);
  return query;
}

/** In the order of the ids. */
export async function viewsOf(reader: Reader, ids: readonly string[]): Promise<MessageView[]> {
  if (ids.length === 0) return [];
  const rows = await reader
    .kysely<RecordTables>()
    .selectFrom('messages')
    .innerJoin('executions', 'executions.id', 'messages.execution_id')
    .selectAll('messages')
    .select(TRAVEL)
    .where('messages.id', 'in', ids)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
