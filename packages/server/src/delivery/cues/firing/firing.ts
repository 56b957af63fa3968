import type { Tx } from '../../../platform/database/database.ts';
import { uuid } from '../../../platform/ids.ts';
import { AGENT_DELETED, requestOf } from '../../executions/live-offers.ts';
import { moveExecution } from '../../executions/journeys.ts';
import { announcePush, setOut, UNROUTED, UNTRIED } from '../../executions/pushes.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import { firstStatus } from '../../records/execution-states.ts';
import { insertNewExecution } from '../../records/execution-store.ts';
import { traceStep } from '../../routing/trace.ts';
import type { CueContext } from '../cue-context.ts';
import { type CueRow, retryOf } from '../record/cue-row.ts';
import { type Fire, wantedBy } from './fire.ts';
import { type FirePlan, planForAgent, plainPlan } from './fire-plan.ts';
import { FireRound } from './fire-round.ts';
import { draftLetter, storeLetter } from './letters.ts';

/** Makes the execution of a fire that is due and sends it on its way. Undefined when it was made before. */
export async function fireNow(
  round: FireRound,
  fire: Fire,
  target: string | null,
): Promise<ExecutionRow | undefined> {
  const { context, tx } = round;
  const execution = waiting(context, fire, target);
  const obstacle = await round.obstacle(execution);
  if (obstacle) return await keepUnsent(round, { ...execution, payload: obstacle.keeps }, obstacle.why);
  const plan = await planOf(round, fire.cue, execution);
  if (!plan) return await keepUnsent(round, execution, AGENT_DELETED);
  const set = { ...execution, ...plan.columns, trace: JSON.stringify(plan.trace) };
  if (plan.action === 'keep_in_inbox') return await fireLetter(round, fire.cue.name, set);
  if (!(await store(round, set))) return undefined;
  await setOut(context, tx, { execution: set, message: undefined }, plan);
  return set;
}

async function fireLetter(
  round: FireRound,
  cueName: string,
  execution: ExecutionRow,
): Promise<ExecutionRow | undefined> {
  const message = await draftLetter(round, execution, cueName);
  const sent = { ...execution, message_id: message.id };
  if (!(await store(round, sent))) return undefined;
  await storeLetter(round, message);
  await announcePush(round.context, round.tx, sent, message);
  return sent;
}

/** Makes the execution of a fire that has to wait: for its time, or behind the run before it. */
export async function fireLater(
  round: FireRound,
  fire: Fire,
  target: string | null,
  why: 'scheduled' | 'queued',
): Promise<ExecutionRow | undefined> {
  const { context } = round;
  const now = context.clock.now();
  const step =
    why === 'scheduled'
      ? traceStep(now, 'requested', wantedBy(fire).mode ?? fire.cue.transport, why)
      : traceStep(now, 'overlap', 'queued', 'the run before is not over');
  const execution = waiting(context, fire, target);
  const obstacle = await round.obstacle(execution);
  if (obstacle) return await keepUnsent(round, { ...execution, payload: obstacle.keeps }, obstacle.why);
  const row = { ...execution, held: why === 'queued' ? 1 : 0, trace: JSON.stringify([step]) };
  return (await store(round, row)) ? row : undefined;
}

/** Sends on its way what waited. It is locked, and so are the sessions of its agent. */
export async function setOutNow(
  context: CueContext,
  tx: Tx,
  cue: CueRow,
  execution: ExecutionRow,
): Promise<ExecutionRow> {
  const plan = await planOf(new FireRound(context, tx), cue, execution);
  if (!plan) return await endUnsent(context, tx, execution, AGENT_DELETED);
  const set = await moveExecution(context, tx, execution, 'rerouted', plan.columns, plan.trace);
  await setOut(context, tx, { execution: set, message: undefined }, plan);
  return set;
}

/** False when it was made before. */
async function store(round: FireRound, execution: ExecutionRow): Promise<boolean> {
  if (!(await insertNewExecution(round.tx, execution))) return false;
  round.countExecution(execution);
  return true;
}

async function planOf(round: FireRound, cue: CueRow, execution: ExecutionRow): Promise<FirePlan | undefined> {
  const { target, payload } = execution;
  if (target !== null) return await planForAgent(round, target, requestOf(execution, undefined));
  const sent = JSON.parse(payload ?? '{}') as Readonly<Record<string, unknown>>;
  return plainPlan(cue, sent, round.context.clock.now());
}

/** Its owner has used up a limit, or there is nobody to take it: it is kept, as one that failed. */
async function keepUnsent(
  round: FireRound,
  execution: ExecutionRow,
  why: string,
): Promise<ExecutionRow | undefined> {
  if (!(await store(round, execution))) return undefined;
  return await endUnsent(round.context, round.tx, execution, why);
}

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
    ...UNTRIED,
    ...UNROUTED,
    id: uuid(context.random),
    owner_id: cue.owner_id,
    sender_owner: cue.owner_id,
    source: 'cue',
    cue_id: cue.id,
    message_id: null,
    agent: target,
    target,
    status: firstStatus({ missed: false }),
    triggered_by: trigger,
    payload: JSON.stringify(payload),
    delivery_mode: mode ?? (target === null ? null : 'auto'),
    live_fallback_mode: fallback ?? (target === null ? null : 'background'),
    scheduled_for: scheduledFor,
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
