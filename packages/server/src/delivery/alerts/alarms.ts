import { DEFAULT_CONSECUTIVE_FAILURES, MAX_TOLD_ERROR } from '@parley/protocol/delivery/limits';
import { LIVE_UNCLAIMED_OUTCOMES } from '@parley/protocol/delivery/vocabulary';
import type { Tx } from '../../platform/database/database.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { CueFailure } from '../cues/cue-context.ts';
import { alertsOf, type CueRow, onFailureOf } from '../cues/record/cue-row.ts';
import { cueById } from '../cues/record/cue-store.ts';
import { latestFailures } from '../cues/runs/run-store.ts';
import type { ExecutionChange, ExecutionObserver } from '../records/execution-ends.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { isTerminal, succeeded } from '../records/execution-states.ts';
import { type AlertContext, raiseAlert } from './alerts.ts';

/*
 * When the alarm is raised, each in the transaction of its cause:
 *
 * | alert | what happened | about |
 * | --- | --- | --- |
 * | verification_failed | an outcome was not proven, or was rejected | the execution |
 * | outcome_timeout | no outcome came by the deadline | the execution |
 * | live_unclaimed | no live session took a run of a cue | the execution |
 * | consecutive_failures | so many runs of a cue failed in a row, by status or by outcome | the cue |
 * | missed_window | see `missed-windows.ts` | the cue |
 */
export const alarms = (context: AlertContext): ExecutionObserver => ({
  judged: (tx, change) => judged(context, tx, change),
  ended: (tx, change) => ended(context, tx, change),
});

async function judged(context: AlertContext, tx: Tx, { before, after }: ExecutionChange): Promise<void> {
  const { outcome_state: state, source } = after;
  if (state === 'verification_failed') {
    await raise(context, tx, after, 'verification_failed', 'the outcome could not be verified');
  }
  if (source === 'cue' && LIVE_UNCLAIMED_OUTCOMES.some((unclaimed) => unclaimed === state)) {
    await raise(context, tx, after, 'live_unclaimed', 'no live session took it');
  }
  // Of an execution that ends with its report, that is told by its end.
  if (isTerminal(before.status)) await countFailures(context, tx, after);
}

async function ended(context: AlertContext, tx: Tx, { after }: ExecutionChange): Promise<void> {
  if (after.status === 'outcome_timeout') {
    await raise(context, tx, after, 'outcome_timeout', 'no outcome came by the deadline');
  }
  await countFailures(context, tx, after);
}

async function countFailures(context: AlertContext, tx: Tx, execution: ExecutionRow): Promise<void> {
  if (execution.source !== 'cue' || succeeded(execution)) return;
  const cue = await cueById(tx, execution.cue_id);
  if (!cue) return;
  const enough = alertsOf(cue)?.consecutive_failures ?? DEFAULT_CONSECUTIVE_FAILURES;
  const latest = await latestFailures(tx, cue.id, enough);
  if (latest.length < enough || !latest.every(Boolean)) return;
  await raiseAlert(context, tx, {
    owner_id: cue.owner_id,
    alert_type: 'consecutive_failures',
    cue_id: cue.id,
    execution_id: execution.id,
    agent: execution.target ?? cue.agent,
    subject: cue.id,
    message: `${cue.name}: ${enough} runs in a row failed`,
    metadata: { cue_name: cue.name, consecutive_failures: enough, last_error: told(execution.error_message) },
  });
}

async function raise(
  context: AlertContext,
  tx: Tx,
  execution: ExecutionRow,
  type: 'verification_failed' | 'outcome_timeout' | 'live_unclaimed',
  what: string,
): Promise<void> {
  const cue = execution.source === 'cue' ? await cueById(tx, execution.cue_id) : undefined;
  await raiseAlert(context, tx, {
    owner_id: execution.owner_id,
    alert_type: type,
    cue_id: execution.cue_id,
    execution_id: execution.id,
    agent: execution.agent,
    subject: execution.id,
    message: `${cue?.name ?? `message ${execution.message_id}`}: ${what}`,
    metadata: {
      cue_name: cue?.name ?? null,
      message_id: execution.message_id,
      status: execution.status,
      outcome_state: execution.outcome_state,
      live_unclaimed_reason: execution.live_unclaimed_reason,
    },
  });
}

const told = (error: string | null): string | null => error?.slice(0, MAX_TOLD_ERROR) ?? null;

/** `on_failure.webhook`: the end of a run that failed, as it was then. */
export async function tellFailure(
  context: AlertContext,
  tx: Tx,
  { cue, execution }: CueFailure,
): Promise<void> {
  if (onFailureOf(cue).webhook === null) return;
  const body = JSON.stringify(toldFailure(cue, execution, context.clock.now()));
  const { owner_id: ownerId, id: ref } = cue;
  await context.dispatcher.queue(tx, { ownerId, kind: 'on_failure', ref, executionId: execution.id, body });
}

export type ToldFailure = ReturnType<typeof toldFailure>;

export const toldFailure = (cue: CueRow, execution: ExecutionRow, now: number) => ({
  event: 'cue.failed',
  cue_id: cue.id,
  cue_name: cue.name,
  execution_id: execution.id,
  attempts: execution.attempts,
  last_http_status: execution.http_status,
  last_error: told(execution.error_message),
  failed_at: iso(now),
});
