import {
  EXECUTION_SOURCES,
  EXECUTION_STATUSES,
  type ExecutionSource,
  type ExecutionStatus,
} from '@parley/protocol/delivery/vocabulary';
import type { SelectQueryBuilder } from 'kysely';
import { newest, together } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { ExecutionRow } from './execution-row.ts';
import type { RecordTables } from './record-tables.ts';

/** Stretches of an index, as many as there are sources and statuses to look for. */
export const stretchesOf = (
  source: ExecutionSource | undefined,
  statuses: readonly ExecutionStatus[] = EXECUTION_STATUSES,
) =>
  (source === undefined ? EXECUTION_SOURCES : [source]).flatMap((each) =>
    statuses.map((status) => ({ source: each, status })),
  );

/** Of some stretches of indexes the executions `e`, newest first; undefined when there is none to look into. */
export function newestExecutions(
  reader: Reader,
  stretches: readonly SelectQueryBuilder<{ row: ExecutionRow }, 'row', object>[],
  { limit, offset = 0 }: { limit: number; offset?: number },
) {
  const parts = stretches.map((each) =>
    each.select(['id', 'created_at']).$call(newest('created_at', 'id', offset + limit)),
  );
  const page = together(reader, parts)
    ?.$call(newest('created_at', 'id', limit))
    .offset(offset);
  return (
    page &&
    reader
      .kysely<RecordTables>()
      .selectFrom(page.as('page'))
      .innerJoin('executions as e', 'e.id', 'page.id')
      .orderBy('page.created_at', 'desc')
      .orderBy('page.id', 'desc')
  );
}
