import { fitsAsMetadata } from '@parley/protocol/delivery/fields';
import { isExecutionId } from '@parley/protocol/delivery/ids';
import type { OutcomeReport } from '@parley/protocol/delivery/types';
import type { OutcomeRecorder } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { countOutcome } from '../usage/usage-store.ts';
import { monthOf } from '../../platform/month.ts';
import { executionOutcome } from '../records/event-payloads.ts';
import { settleExecutedVia } from './executed-via.ts';
import { reportOn } from '../records/execution-states.ts';
import { patchMessage } from '../records/message-store.ts';
import { isOver } from '../records/message-states.ts';
import { hasEvidence, judgeReport, policyOf } from './outcome-states.ts';
import { type TraceStep, traceStep } from '../routing/trace.ts';
import type { ExecutionPatch, ExecutionRow, OutcomeRow } from '../records/execution-row.ts';
import { insertOutcome } from '../records/execution-store.ts';
import { changeExecution, type Journey, moveExecution, ownJourney } from './journeys.ts';
import { outcomeRow } from './outcome-row.ts';
import { advanceMessage } from '../records/message-moves.ts';

/** The write-once report on an execution. */
export async function reportOutcome(
  context: MessagingContext,
  ownerId: string,
  id: string,
  report: OutcomeReport,
) {
  const { database } = context;
  if (!isExecutionId(id)) throw new DeliveryError('execution_not_found');
  if (!fitsAsMetadata(report.metadata ?? {})) throw new DeliveryError('metadata_too_large');
  return await database.write(async (tx) => {
    return await record(context, tx, await ownJourney(tx, ownerId, id), report);
  });
}

/**
 * What an endpoint answered is the outcome, unless somebody reported one before. With `heard` in the one step that ends its delivery,
 * so that nobody takes that for its end.
 */
export async function recordAnswer(
  context: MessagingContext,
  tx: Tx,
  journey: Journey,
  report: OutcomeReport,
  heard?: Accepted,
): Promise<void> {
  if (journey.execution.outcome_success !== null) return;
  await record(context, tx, journey, report, 'response', heard);
}

export interface Accepted {
  readonly patch: ExecutionPatch;
  readonly step: TraceStep;
}

/** What it comes to, as it is told to who reported. */
async function record(
  context: MessagingContext,
  tx: Tx,
  journey: Journey,
  report: OutcomeReport,
  recordedBy: OutcomeRecorder = 'handler',
  accepted?: Accepted,
) {
  const { clock, tallies, events, settings } = context;
  const { execution, message } = journey;
  const now = clock.now();
  const settled = settleExecutedVia(execution, report);
  const unjudged = { ...outcomeRow(execution.id, report, settled, now), recorded_by: recordedBy };
  const { state, reason: missing } = judgeReport(unjudged, policyOf(execution));
  const outcome = { ...unjudged, state };
  const reason = missing ?? settled.reason;
  if (!(await insertOutcome(tx, outcome))) throw new DeliveryError('outcome_already_recorded');
  await countOutcome(tx, {
    ownerId: execution.owner_id,
    month: monthOf(now),
    shard: tallies.shard(),
    success: report.success,
  });
  await endExecution(context, tx, execution, outcome, traceStep(now, 'outcome', state, reason), accepted);
  events.note(tx, executionOutcome(execution, outcome, message, settings.spellAgent));
  await tellMessage(context, tx, journey, report, recordedBy);
  return {
    outcome_state: state,
    executed_via: settled.executedVia,
    delivery_route: settled.route,
    reason,
  };
}

/** The execution as its outcome leaves it. */
async function endExecution(
  context: MessagingContext,
  tx: Tx,
  execution: ExecutionRow,
  outcome: OutcomeRow,
  step: TraceStep,
  accepted: Accepted | undefined,
): Promise<void> {
  const succeeded = outcome.success === 1;
  const patch: ExecutionPatch = {
    ...accepted?.patch,
    held: 0,
    executed_via: outcome.executed_via,
    route: outcome.route,
    outcome_success: outcome.success,
    outcome_state: outcome.state,
    result_type: outcome.result_type,
    has_evidence: hasEvidence(outcome) ? 1 : 0,
    next_retry_at: null,
    ...(!succeeded && { error_message: outcome.error }),
  };
  const steps = accepted ? [accepted.step, step] : [step];
  const event = accepted ? 'accepted' : reportOn(execution.status, execution.channel, succeeded);
  await (event === undefined
    ? changeExecution(context, tx, execution, patch, steps)
    : moveExecution(context, tx, execution, event, patch, steps));
}

/** Work that was done acks its message; work that failed says why, also where the state cannot show it. */
async function tellMessage(
  context: MessagingContext,
  tx: Tx,
  { message }: Journey,
  report: OutcomeReport,
  recordedBy: OutcomeRecorder,
): Promise<void> {
  const { clock } = context;
  if (!message) return;
  if (report.success) {
    await advanceMessage(context, tx, message, 'acked');
    return;
  }
  const error = report.error ?? 'the handler reported a failure';
  // An endpoint that says so has got the text; a handler has worked on it.
  const proved = recordedBy === 'response' ? 'delivered' : 'claimed';
  const moved = await advanceMessage(context, tx, message, 'push_failed', { dispatch_error: error }, proved);
  if (moved.dispatch_error === error || isOver(message.state)) return;
  await patchMessage(tx, message.id, { dispatch_error: error, updated_at: clock.now() });
}
