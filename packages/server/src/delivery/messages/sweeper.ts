import { ECHO_LIFE } from '@parley/protocol/delivery/limits';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { JobRun } from '../../platform/jobs/job.ts';
import { takes } from '../records/execution-states.ts';
import { offerState } from '../executions/live-offers.ts';
import { expire as expireOffer } from '../records/live-window.ts';
import { traceStep } from '../routing/trace.ts';
import { deleteOldFireKeys } from '../cues/firing/fire-key-store.ts';
import { forgetAlerts } from '../alerts/alert-store.ts';
import { forgetEvents } from '../events/event-store.ts';
import { forgetSubscriptions } from '../events/subscription-store.ts';
import { forgetEchoes } from '../service/echo-store.ts';
import { deleteOldKeys } from './idempotency-store.ts';
import { bytesOf, countFreed } from '../usage/usage-store.ts';
import { deleteMessage, expiredMessages, lockMessage, messagesOverSince } from '../records/message-store.ts';
import { SWEEP_JOB } from '../records/sweeps.ts';
import { advanceMessage } from '../records/message-moves.ts';
import { lockJourneyOf, moveExecution } from '../executions/journeys.ts';
import { missPush } from '../executions/pushes.ts';

/** Rows handled at a time, so that a sweep after a long stop leaves room for other writers. */
const STEP = 100;

/** Ends messages whose time is over, and removes what has been over for long enough. */
export function defineSweeper(context: MessagingContext): void {
  const handler = (_job: unknown, run: JobRun): Promise<void> => sweep(context, run);
  context.jobs.define<null>(SWEEP_JOB, { concurrency: 1, handler });
}

async function sweep(context: MessagingContext, { signal }: JobRun): Promise<void> {
  const { database, clock, settings } = context;
  while (!signal.aborted && (await expireSome(context, clock.now())) === STEP);
  while (
    !signal.aborted &&
    (await removeSome(context, clock.now() - settings.removalAfterTerminalMs)) === STEP
  );
  const forget = clock.now() - settings.events.retentionMs;
  while (!signal.aborted && (await database.write((tx) => forgetEvents(tx, forget, STEP))) === STEP);
  await database.write(async (tx) => {
    await forgetSubscriptions(tx, forget);
    await forgetEchoes(tx, clock.now() - ECHO_LIFE);
    await forgetAlerts(tx, clock.now() - settings.alertRetentionMs);
    await deleteOldKeys(tx, clock.now() - settings.idempotencyMs);
    await deleteOldFireKeys(tx, clock.now() - settings.idempotencyMs);
  });
}

async function expireSome(context: MessagingContext, now: number): Promise<number> {
  const { database } = context;
  const ids = await expiredMessages(database.read, now, STEP);
  if (ids.length > 0) {
    await database.write(async (tx) => {
      for (const id of ids.toSorted()) await expire(context, tx, id, now);
    });
  }
  return ids.length;
}

async function expire(context: MessagingContext, tx: Tx, id: string, now: number): Promise<void> {
  const journey = await lockJourneyOf(tx, id);
  if (!journey || journey.message.expires_at >= now) return;
  const { execution, message } = journey;
  const moved = await advanceMessage(context, tx, message, 'expired');
  if (moved === message) return;
  const verdict = expireOffer(offerState(execution));
  if (verdict.kind === 'missed') {
    await missPush(context, tx, { execution, message: moved }, verdict.outcome, verdict.reason);
  } else if (takes(execution.status, 'expired')) {
    const patch = { error_message: 'the message expired' };
    await moveExecution(context, tx, execution, 'expired', patch, [traceStep(now, 'push', 'expired')]);
  }
}

async function removeSome(context: MessagingContext, before: number): Promise<number> {
  const { database, tallies } = context;
  const over = await messagesOverSince(database.read, before, STEP);
  if (over.length === 0) return 0;
  await database.write(async (tx) => {
    for (const id of over) {
      // Another node may have been here first; it is counted out once.
      const message = await lockMessage(tx, id);
      if (!message) continue;
      const executions = await deleteMessage(tx, id);
      await tallies.remove(tx, message, executions);
      await countFreed(tx, message.sender_owner, tallies.shard(), bytesOf(message));
    }
  });
  return over.length;
}
