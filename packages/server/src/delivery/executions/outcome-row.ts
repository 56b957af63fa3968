import type { OutcomeReport } from '@parley/protocol/delivery/types';
import type { LiveUnclaimedOutcome } from '@parley/protocol/delivery/vocabulary';
import type { Tx } from '../../platform/database/database.ts';
import { executionOutcome } from '../records/event-payloads.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { OutcomeRow } from '../records/execution-row.ts';
import { insertOutcome } from '../records/execution-store.ts';
import type { Settled } from './executed-via.ts';
import type { Journey } from './journeys.ts';

/** A report as it is stored, before it is judged. */
export function outcomeRow(
  executionId: string,
  report: OutcomeReport,
  settled: Pick<Settled, 'executedVia' | 'reported' | 'route'>,
  now: number,
): OutcomeRow {
  return {
    execution_id: executionId,
    success: report.success ? 1 : 0,
    result: report.result ?? null,
    error: report.error ?? null,
    metadata: JSON.stringify(report.metadata ?? {}),
    recorded_by: 'handler',
    recorded_at: now,
    executed_via: settled.executedVia,
    executed_via_reported: settled.reported,
    route: settled.route,
    external_id: report.external_id ?? null,
    result_url: report.result_url ?? null,
    result_ref: report.result_ref ?? null,
    result_type: report.result_type ?? null,
    summary: report.summary ?? null,
    artifacts: report.artifacts == null ? null : JSON.stringify(report.artifacts),
    assertions: report.assertions == null ? null : JSON.stringify(report.assertions),
    state: null,
  };
}

/** Nobody was there to take it live, and nobody else may: the server writes the outcome itself. */
export async function writeMissed(
  { events, settings }: MessagingContext,
  tx: Tx,
  { execution, message }: Journey,
  outcome: LiveUnclaimedOutcome,
  now: number,
): Promise<void> {
  const settled = { executedVia: null, reported: null, route: execution.route };
  const row = outcomeRow(execution.id, { success: false, error: outcome }, settled, now);
  const missed: OutcomeRow = { ...row, recorded_by: 'server', state: outcome };
  await insertOutcome(tx, missed);
  events.note(tx, executionOutcome(execution, missed, message, settings.spellAgent));
}
