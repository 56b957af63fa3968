import type { Tx } from '../../platform/database/database.ts';
import { uuid } from '../../platform/ids.ts';
import { requestOf } from '../executions/live-offers.ts';
import { moveExecution } from '../executions/journeys.ts';
import { setOut } from '../executions/pushes.ts';
import { cueFired } from '../messages/loops/loop-breaker.ts';
import { countExecutions, monthOf } from '../messages/usage-store.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { firstStatus } from '../records/execution-states.ts';
import { insertNewExecution } from '../records/execution-store.ts';
import { traceStep } from '../routing/trace.ts';
import type { CueContext } from './cue-context.ts';
import { type CueRow, retryOf } from './cue-row.ts';
import { type Fire, wantedBy } from './fire.ts';
import { type FirePlan, planForAgent, plainPlan } from './fire-plan.ts';

const AGENT_DELETED = 'agent_deleted';
const QUOTA_USED_UP = 'Monthly execution limit reached';

/** Makes the execution of a fire that is due and sends it on its way. Undefined when it was made before. */
export async function fireNow(
  context: CueContext,
  tx: Tx,
  fire: Fire,
  target: string | null,
): Promise<ExecutionRow | undefined> {
  const execution = waiting(context, fire, target);
  if (!(await context.quota.allows(tx, fire.cue.owner_id))) return await refuse(context, tx, execution);
  const plan = await planOf(context, tx, fire.cue, execution);
  if (!plan) {
    if (!(await insertNewExecution(tx, execution))) return undefined;
    return await endUnsent(context, tx, execution, AGENT_DELETED);
  }
  const reset = target === null ? [] : [await cueFired(context, tx, target)];
  const set = { ...execution, ...plan.columns, trace: JSON.stringify([...reset, ...plan.trace]) };
  if (!(await insertNewExecution(tx, set))) return undefined;
  await setOut(context, tx, { execution: set, message: undefined }, { ...plan, cueName: fire.cue.name });
  return set;
}

/** Makes the execution of a fire that has to wait: for its time, or behind the run before it. */
export async function fireLater(
  context: CueContext,
  tx: Tx,
  fire: Fire,
  target: string | null,
  why: 'scheduled' | 'queued',
): Promise<ExecutionRow | undefined> {
  const now = context.clock.now();
  const step =
    why === 'scheduled'
      ? traceStep(now, 'requested', wantedBy(fire).mode ?? fire.cue.transport, why)
      : traceStep(now, 'overlap', 'queued', 'the run before is not over');
  const execution = waiting(context, fire, target);
  if (!(await context.quota.allows(tx, fire.cue.owner_id))) return await refuse(context, tx, execution);
  const row = { ...execution, held: why === 'queued' ? 1 : 0, trace: JSON.stringify([step]) };
  return (await insertNewExecution(tx, row)) ? row : undefined;
}

/** Sends on its way what waited. It is locked, and so are the sessions of its agent. */
export async function setOutNow(
  context: CueContext,
  tx: Tx,
  cue: CueRow,
  execution: ExecutionRow,
): Promise<ExecutionRow> {
  const { target } = execution;
  const plan = await planOf(context, tx, cue, execution);
  if (!plan) return await endUnsent(context, tx, execution, AGENT_DELETED);
  const reset = target === null ? [] : [await cueFired(context, tx, target)];
  const steps = [...reset, ...plan.trace];
  const set = await moveExecution(context, tx, execution, 'rerouted', plan.columns, steps);
  await setOut(context, tx, { execution: set, message: undefined }, plan);
  return set;
}

/** What an owner is shown and billed by. Once for each transaction, however many fired in it. */
export async function countFired(
  context: CueContext,
  tx: Tx,
  ownerId: string,
  executions: number,
): Promise<void> {
  if (executions === 0) return;
  const { tallies, clock } = context;
  await tallies.addExecutions(tx, ownerId, executions);
  const month = monthOf(clock.now());
  await countExecutions(tx, { ownerId, month, shard: tallies.shard(), executions });
}

async function planOf(
  context: CueContext,
  tx: Tx,
  cue: CueRow,
  execution: ExecutionRow,
): Promise<FirePlan | undefined> {
  const { target, payload } = execution;
  if (target !== null) return await planForAgent(context, tx, target, requestOf(execution, undefined));
  const sent = JSON.parse(payload ?? '{}') as Readonly<Record<string, unknown>>;
  return plainPlan(cue, sent, context.clock.now());
}

/** The month's executions are used up: it is kept, as one that failed. */
async function refuse(
  context: CueContext,
  tx: Tx,
  execution: ExecutionRow,
): Promise<ExecutionRow | undefined> {
  if (!(await insertNewExecution(tx, execution))) return undefined;
  return await endUnsent(context, tx, execution, QUOTA_USED_UP);
}

/** There is nobody to take it, or it may not go: it ends before it set out. */
function endUnsent(context: CueContext, tx: Tx, execution: ExecutionRow, why: string): Promise<ExecutionRow> {
  const steps = [traceStep(context.clock.now(), 'push', 'closed', why)];
  const patch = { held: 0, error_message: why };
  return moveExecution(context, tx, execution, 'cancelled', patch, steps);
}

/** Without a way yet. */
function waiting(context: CueContext, fire: Fire, target: string | null): ExecutionRow {
  const { cue, trigger, scheduledFor, payload, policy, chain, replayedFrom } = fire;
  const now = context.clock.now();
  const { mode, fallback } = wantedBy(fire);
  return {
    id: uuid(context.random),
    owner_id: cue.owner_id,
    sender_owner: cue.owner_id,
    source: 'cue',
    cue_id: cue.id,
    message_id: null,
    agent: target,
    target,
    session_id: null,
    task: null,
    status: firstStatus({ missed: false }),
    triggered_by: trigger,
    payload: JSON.stringify(payload),
    delivery_mode: mode ?? (target === null ? null : 'auto'),
    live_fallback_mode: fallback ?? (target === null ? null : 'background'),
    channel: null,
    route: null,
    held: 0,
    via_parent: 0,
    beat_age_ms: null,
    scheduled_for: scheduledFor,
    live_deadline_at: null,
    live_claimed_at: null,
    live_token_hash: null,
    live_attestation: null,
    live_unclaimed_reason: null,
    attempts: 0,
    claimed_by: null,
    claimed_at: null,
    lease_expires_at: null,
    last_heartbeat_at: null,
    started_at: null,
    delivered_at: null,
    last_attempt_at: null,
    next_retry_at: null,
    http_status: null,
    response_body: null,
    error_message: null,
    executed_via: null,
    outcome_success: null,
    outcome_state: null,
    result_type: null,
    has_evidence: 0,
    chain_parent_id: chain?.parentId ?? null,
    chain_depth: chain?.depth ?? 0,
    replayed_from: replayedFrom,
    verification: policy,
    max_attempts: retryOf(cue).max_attempts,
    attach: cue.attach,
    trace: '[]',
    created_at: now,
    updated_at: now,
  };
}
