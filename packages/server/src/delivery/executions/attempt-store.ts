import type { AttemptError } from '@parley/protocol/delivery/vocabulary';
import type { Reader } from '../../platform/database/database.ts';
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
