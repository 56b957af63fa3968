import type { ListItems } from '@parley/protocol/schedule/requests';
import type { ExpressionBuilder, Expression, SqlBool } from 'kysely';
import type { Reader } from '../platform/database/database.ts';
import { countOf, given, type PageAsk } from '../platform/database/built.ts';
import type { NamedSubject } from '../continuity/capsule/subject.ts';
import { type ItemRow, items } from './item-store.ts';

type Conditions = ExpressionBuilder<{ row: ItemRow }, 'row'>;

/** Those that match, in order of when they are due, and how many there are. */
export async function pageOfItems(
  reader: Reader,
  ownerId: string,
  query: ListItems,
  now: string,
): Promise<{ rows: ItemRow[]; total: number }> {
  const matching = items
    .from(reader)
    .where('owner_id', '=', ownerId)
    .where((where) => where.and(filtersOf(where, query, now)));
  const [rows, total] = await Promise.all([
    matching
      .selectAll()
      .orderBy('due_at')
      .orderBy('schedule_id')
      .limit(query.limit)
      .offset(query.offset)
      .execute(),
    countOf(matching),
  ]);
  return { rows, total };
}

function filtersOf(where: Conditions, query: ListItems, now: string): Expression<SqlBool>[] {
  const { status, due, task_id, thread_id, subject_kind, subject_id } = query;
  return [
    where.and(given({ status, task_id, thread_id, subject_kind, subject_id })),
    ...(status === undefined && !query.include_retired ? [where('status', '!=', 'retired')] : []),
    ...(due === undefined ? [] : [where('status', '=', 'pending'), where('due_at', due ? '<=' : '>', now)]),
  ];
}

/** Pending items about any of the scopes that are due after one time and until another. */
export async function itemsAbout(
  reader: Reader,
  ownerId: string,
  scopes: readonly NamedSubject[],
  { after, until, limit }: { after: string; until: string; limit: number },
): Promise<ItemRow[]> {
  return await items
    .from(reader)
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'pending')
    .where('due_at', '>', after)
    .where('due_at', '<=', until)
    .where((where) => where.or(scopes.map((scope) => about(where, scope))))
    .orderBy('due_at')
    .orderBy('schedule_id')
    .limit(limit)
    .execute();
}

/** A thread is also meant by its own column, and so is a task. */
function about(where: Conditions, { kind, id }: NamedSubject): Expression<SqlBool> {
  const subject = where.and([where('subject_kind', '=', kind), where('subject_id', '=', id)]);
  if (kind === 'thread') return where.or([subject, where('thread_id', '=', id)]);
  return kind === 'task' ? where.or([subject, where('task_id', '=', id)]) : subject;
}

export interface ItemAsk extends PageAsk {
  /** Whether they are still to come of, or over. */
  readonly open: boolean;
  /** Who asked for it. */
  readonly peer: string | undefined;
}

/** What is open by when it is due, what is over with the latest first. */
export async function itemsLately(reader: Reader, ask: ItemAsk): Promise<ItemRow[]> {
  const { ownerId, open, peer, offset, limit } = ask;
  const order = open ? 'asc' : 'desc';
  return await items
    .from(reader)
    .selectAll()
    .where('status', 'in', open ? ['pending'] : ['acknowledged', 'done', 'retired'])
    .where((is) => is.and(given({ owner_id: ownerId, created_by: peer })))
    .orderBy('due_at', order)
    .orderBy('schedule_id', order)
    .limit(limit)
    .offset(offset)
    .execute();
}
