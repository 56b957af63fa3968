import { fitsAsMetadata } from '@parley/protocol/delivery/fields';
import { MAX_SUMMARY } from '@parley/protocol/delivery/limits';
import type { EvidencePatch } from '@parley/protocol/delivery/types';
import type { OutcomeState } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { afterMarkedPending, afterVerify, hasEvidence, judgeAgain, policyOf } from './outcome-states.ts';
import { traceStep } from '../routing/trace.ts';
import { objectOf } from './execution-answers.ts';
import type { ExecutionRow, OutcomeRow } from '../records/execution-row.ts';
import { patchOutcome, readOutcome } from '../records/execution-store.ts';
import { changeExecution, ownJourney } from './journeys.ts';

interface Reported {
  readonly execution: ExecutionRow;
  readonly outcome: OutcomeRow;
}

/** Checks of an outcome after the fact, by people and by evidence. */
export function verifyOutcome(
  context: MessagingContext,
  ownerId: string,
  id: string,
  { valid, reason }: { valid: boolean; reason: string | null },
): Promise<OutcomeState> {
  return context.database.write(async (tx) => {
    const reported = await reportedOutcome(tx, ownerId, id, 'invalid_state');
    const state = afterVerify(reported.outcome.state, valid);
    if (state === undefined) {
      throw new DeliveryError(
        'invalid_state',
        `an outcome in state ${reported.outcome.state} is not verified`,
      );
    }
    const { summary } = reported.outcome;
    const noted =
      reason === null
        ? summary
        : [summary, reason]
            .filter(Boolean)
            .join(' ')
            .slice(0, 2 * MAX_SUMMARY);
    await write(context, tx, reported, state, { summary: noted }, reason);
    return state;
  });
}

export function markVerificationPending(
  context: MessagingContext,
  ownerId: string,
  id: string,
): Promise<OutcomeState> {
  return context.database.write(async (tx) => {
    const reported = await reportedOutcome(tx, ownerId, id);
    const { state: current } = reported.outcome;
    const state = current === null ? undefined : afterMarkedPending(current);
    if (state === undefined) throw new DeliveryError('invalid_state', `the outcome is ${current}`);
    await write(context, tx, reported, state, {}, null);
    return state;
  });
}

/** Merges what is given into what is there, and runs the policy again. */
export function addEvidence(
  context: MessagingContext,
  ownerId: string,
  id: string,
  patch: EvidencePatch,
): Promise<OutcomeState | null> {
  if (!fitsAsMetadata(patch.metadata ?? {})) throw new DeliveryError('metadata_too_large');
  return context.database.write(async (tx) => {
    const reported = await reportedOutcome(tx, ownerId, id);
    const outcome = { ...reported.outcome, ...merged(reported.outcome, patch) };
    if (!fitsAsMetadata(objectOf(outcome.metadata) ?? {})) throw new DeliveryError('metadata_too_large');
    const { state, reason } =
      outcome.state === null
        ? { state: null, reason: null }
        : judgeAgain(outcome.state, outcome, policyOf(reported.execution));
    await write(context, tx, reported, state, merged(reported.outcome, patch), reason);
    return state;
  });
}

/** Where there is no outcome, what is asked of one has an error of its own. */
async function reportedOutcome(
  tx: Tx,
  ownerId: string,
  id: string,
  without: 'no_outcome' | 'invalid_state' = 'no_outcome',
): Promise<Reported> {
  const { execution } = await ownJourney(tx, ownerId, id);
  const outcome = await readOutcome(tx, id);
  if (!outcome) throw new DeliveryError(without, 'there is no outcome yet');
  return { execution, outcome };
}

async function write(
  context: MessagingContext,
  tx: Tx,
  { execution, outcome }: Reported,
  state: OutcomeState | null,
  patch: Partial<OutcomeRow>,
  reason: string | null,
): Promise<void> {
  const { clock } = context;
  const after = { ...outcome, ...patch };
  await patchOutcome(tx, execution.id, { ...patch, state });
  const columns = {
    outcome_state: state,
    result_type: after.result_type,
    has_evidence: hasEvidence(after) ? 1 : 0,
  };
  const steps = state === outcome.state ? [] : [traceStep(clock.now(), 'outcome', state ?? 'none', reason)];
  await changeExecution(context, tx, execution, columns, steps);
}

/** Null keeps. */
function merged(outcome: OutcomeRow, patch: EvidencePatch) {
  return {
    external_id: patch.external_id ?? outcome.external_id,
    result_url: patch.result_url ?? outcome.result_url,
    result_ref: patch.result_ref ?? outcome.result_ref,
    result_type: patch.result_type ?? outcome.result_type,
    summary: patch.summary ?? outcome.summary,
    artifacts: patch.artifacts == null ? outcome.artifacts : JSON.stringify(patch.artifacts),
    metadata:
      patch.metadata == null
        ? outcome.metadata
        : JSON.stringify({ ...objectOf(outcome.metadata), ...patch.metadata }),
  };
}
