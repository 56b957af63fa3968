import type { CountAsk } from '../../platform/database/built.ts';
import type { ListRow } from '@parley/protocol/continuity/list-answers';
import type { MemoryContext } from '../memory-context.ts';
import { rowContext } from '../list/list.ts';
import { listRow } from '../list/list-row.ts';
import {
  lastWritesOf,
  type Peer,
  revisionCountsSince,
  type SubjectAsk,
  subjectsLately,
} from './subject-store.ts';

export interface SeenSubject {
  readonly ownerId: string;
  readonly row: ListRow;
  readonly writer: string;
}

/** What people see of memory across agents. Without an owner: of everybody. */
export async function subjects(memory: MemoryContext, ask: SubjectAsk): Promise<SeenSubject[]> {
  const now = memory.clock.now();
  const context = rowContext(memory, now);
  const rows = await subjectsLately(memory.database.read, ask, now);
  return rows.map((row) => ({
    ownerId: row.owner_id,
    // What a list says of an active capsule has this shape; the routes declare it.
    row: listRow(row, context) as ListRow,
    writer: row.peer_id,
  }));
}

/** When each of some peers last wrote a capsule. */
export async function lastWrites(
  { database }: MemoryContext,
  peers: readonly Peer[],
): Promise<(peer: Peer) => number | null> {
  const rows = await lastWritesOf(database.read, peers);
  const known = new Map(rows.map((row) => [`${row.owner_id} ${row.peer_id}`, row.at]));
  return ({ ownerId, peer }) => known.get(`${ownerId} ${peer}`) ?? null;
}

export const upsertCounts = ({ database }: Pick<MemoryContext, 'database'>, ask: CountAsk) =>
  revisionCountsSince(database.read, ask);
