import type { AttemptError } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface AttemptRow {
  readonly attempt: number;
  readonly at: number;
  readonly status: number | null;
  readonly error_type: AttemptError | null;
  readonly latency_ms: number | null;
}

/** The attempts to deliver an execution by webhook, first to last. */
export function attemptsOf(reader: Reader, executionId: string): Promise<AttemptRow[]> {
  return reader.all<AttemptRow>(sql`
    SELECT attempt, at, status, error_type, latency_ms FROM delivery_attempts
    WHERE execution_id = ${executionId} ORDER BY attempt`);
}

/** Written before the request: an attempt that was cut short is seen by what it lacks. */
export async function beginAttempt(tx: Tx, executionId: string, attempt: number, now: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO delivery_attempts (execution_id, attempt, at) VALUES (${executionId}, ${attempt}, ${now})
    ON CONFLICT (execution_id, attempt) DO UPDATE SET at = excluded.at`);
}

export async function endAttempt(
  tx: Tx,
  executionId: string,
  attempt: number,
  end: { status: number | null; error: AttemptError | null; latencyMs: number },
): Promise<void> {
  await tx.run(sql`
    UPDATE delivery_attempts SET status = ${end.status}, error_type = ${end.error}, latency_ms = ${end.latencyMs}
    WHERE execution_id = ${executionId} AND attempt = ${attempt}`);
}
