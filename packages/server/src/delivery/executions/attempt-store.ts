import type { AttemptError } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const attemptTable = table('delivery_attempts', {
  attempt: column<number>(),
  at: column<number>(),
  status: column<number | null>(),
  error_type: column<AttemptError | null>(),
  latency_ms: column<number | null>(),
});

export type AttemptRow = RowOf<typeof attemptTable>;

const begin = attemptTable
  .pick('attempt', 'at')
  .with({ execution_id: column<string>() })
  .upsert('execution_id', 'attempt');

/** The attempts to deliver an execution by webhook, first to last. */
export function attemptsOf(reader: Reader, executionId: string): Promise<AttemptRow[]> {
  return reader.all<AttemptRow>(attemptTable.select`WHERE execution_id = ${executionId} ORDER BY attempt`);
}

/** Written before the request: an attempt that was cut short is seen by what it lacks. */
export async function beginAttempt(tx: Tx, executionId: string, attempt: number, now: number): Promise<void> {
  await tx.run(begin({ execution_id: executionId, attempt, at: now }));
}

export async function endAttempt(
  tx: Tx,
  executionId: string,
  attempt: number,
  { status, error, latencyMs }: { status: number | null; error: AttemptError | null; latencyMs: number },
): Promise<void> {
  await tx.run(attemptTable.update({ status, error_type: error, latency_ms: latencyMs })`
    WHERE execution_id = ${executionId} AND attempt = ${attempt}`);
}
