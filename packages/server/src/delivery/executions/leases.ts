import { isExecutionId } from '@parley/protocol/delivery/ids';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { takes } from '../records/execution-states.ts';
import { traceStep } from '../routing/trace.ts';
import type { ExecutionPatch, ExecutionRow } from '../records/execution-row.ts';
import {
  changeExecution,
  type Journey,
  lockJourney,
  moveExecution,
  ownJourney,
  targetOf,
} from './journeys.ts';
import { announcePush, UNCLAIMED, UNCLAIMED_JOB, type UnclaimedJob } from './pushes.ts';
import { workerBeatAt } from './worker-store.ts';
import { labelOfHolder } from '../records/live-window.ts';
import { advanceMessage } from '../records/message-moves.ts';
import { handBack } from './live-offers.ts';

const LEASE_JOB = 'delivery.lease';

const RESET = 'Reset: worker heartbeat stale and claim lease expired';
const UNCLAIMED_ERROR = 'No worker claimed this execution within timeout window';

/** Who holds an execution, for how long, and what becomes of what nobody holds. */
export function defineLeases(context: MessagingContext): void {
  const { jobs } = context;
  jobs.defineWrite<string>(LEASE_JOB, (tx, id) => check(context, tx, id), { concurrency: 16 });
  jobs.defineWrite<UnclaimedJob>(UNCLAIMED_JOB, (tx, job) => giveUp(context, tx, job), { concurrency: 16 });
}

/** What a claim writes. */
export function beginLease(
  context: MessagingContext,
  execution: ExecutionRow,
  worker: string,
): ExecutionPatch {
  const { clock, settings } = context;
  const now = clock.now();
  return {
    claimed_by: worker,
    claimed_at: now,
    lease_expires_at: now + settings.workerLeaseMs,
    last_heartbeat_at: now,
    started_at: execution.started_at ?? now,
    delivered_at: now,
    last_attempt_at: now,
    attempts: execution.attempts + 1,
    next_retry_at: null,
  };
}

/** In the transaction of the claim. */
export async function watchLease(
  context: MessagingContext,
  tx: Tx,
  { id, lease_expires_at: dueAt }: ExecutionRow,
): Promise<void> {
  if (dueAt !== null) await context.jobs.enqueue(tx, LEASE_JOB, id, { dueAt });
}

export async function extendLease(
  context: MessagingContext,
  ownerId: string,
  id: string,
  worker: string | undefined,
): Promise<number> {
  const { database, clock, settings } = context;
  return await database.write(async (tx) => {
    const { execution } = await ownJourney(tx, ownerId, id);
    const { status, claimed_by: holder, lease_expires_at: before } = execution;
    if (status !== 'delivering' || holder === null) throw new DeliveryError('execution_not_claiming');
    if (worker !== undefined && worker !== holder) throw new DeliveryError('not_execution_owner');
    const now = clock.now();
    const until = now + settings.workerLeaseMs;
    const patch = { lease_expires_at: until, last_heartbeat_at: now };
    const extended = await changeExecution(context, tx, execution, patch);
    // Only after the clock was set back: the look that is planned comes too late for this lease.
    if (before !== null && until < before) await watchLease(context, tx, extended);
    return until;
  });
}

async function check(context: MessagingContext, tx: Tx, id: string): Promise<number | undefined> {
  const journey = await lockJourney(tx, id);
  const heldUntil = journey && (await leaseEnd(context, tx, journey));
  if (!journey || heldUntil === undefined) return undefined;
  if (heldUntil > context.clock.now()) return heldUntil;
  await lose(context, tx, journey);
  return undefined;
}

/** A person does not wait for who holds it after its lease: it goes back at once. Without an owner, whoever's it is. */
export async function releaseLapsed(
  context: MessagingContext,
  ownerId: string | undefined,
  id: string,
): Promise<string> {
  const { database, clock } = context;
  if (!isExecutionId(id)) throw new DeliveryError('execution_not_found');
  return await database.write(async (tx) => {
    const journey = await lockJourney(tx, id);
    const isTheirs = ownerId === undefined || journey?.execution.owner_id === ownerId;
    if (!journey || !isTheirs) throw new DeliveryError('execution_not_found');
    const { status, claimed_by: holder, lease_expires_at: lease, owner_id: whose } = journey.execution;
    if (status !== 'delivering' || holder === null || lease === null || lease > clock.now())
      throw new DeliveryError('invalid_state', 'nobody holds it, or its lease is not over');
    await lose(context, tx, journey);
    return whose;
  });
}

/** Undefined when nobody holds it. */
async function leaseEnd(context: MessagingContext, tx: Tx, journey: Journey): Promise<number | undefined> {
  const { settings, recipients } = context;
  const { execution } = journey;
  const { status, claimed_by: holder, lease_expires_at: lease } = execution;
  if (status !== 'delivering' || holder === null || lease === null) return undefined;
  const target = targetOf(journey);
  const held = labelOfHolder(holder);
  const sessions = held !== null && target ? await recipients.sessions(tx, target) : [];
  const session = sessions.find(({ label }) => label === held);
  const beatAt = session?.beatAt ?? (await workerBeatAt(tx, execution.owner_id, holder));
  return Math.max(lease, beatAt === undefined ? 0 : beatAt + settings.workerBeatTimeoutMs);
}

/** Whoever had it is gone: it goes back to where it came from, for somebody else. */
async function lose(context: MessagingContext, tx: Tx, { execution, message }: Journey): Promise<void> {
  const { clock } = context;
  const { attempts, max_attempts: most } = execution;
  const step = traceStep(clock.now(), 'claim', 'lease_lost', execution.claimed_by);
  if (most !== null && attempts >= most) {
    const patch = { error_message: RESET, lease_expires_at: null };
    await moveExecution(context, tx, execution, 'spent', patch, [step]);
    return;
  }
  const patch = { ...UNCLAIMED, error_message: RESET };
  const freed = await moveExecution(context, tx, execution, 'lease_lost', patch, [step]);
  const queued = message && (await advanceMessage(context, tx, message, 'lease_lost'));
  if (freed.channel === 'live') await handBack(context, tx, { execution: freed, message: queued });
  else await announcePush(context, tx, freed, queued);
}

async function giveUp(
  context: MessagingContext,
  tx: Tx,
  { executionId, attempts }: UnclaimedJob,
): Promise<undefined> {
  const execution = (await lockJourney(tx, executionId))?.execution;
  const unclaimed = execution?.channel === 'bg' && execution.attempts === attempts;
  if (!unclaimed || !takes(execution.status, 'unclaimed')) return;
  // The message lies in the inbox all the same, and that is where it waits now.
  const way = execution.message_id === null ? {} : ({ channel: 'inbox', route: 'inbox_fallback' } as const);
  const step = traceStep(context.clock.now(), 'push', 'missed', 'unclaimed');
  const patch: ExecutionPatch = { error_message: UNCLAIMED_ERROR, ...way };
  await moveExecution(context, tx, execution, 'unclaimed', patch, [step]);
}
