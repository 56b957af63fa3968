import type { Tx } from '../../platform/database/database.ts';
import type { MessagingContext } from '../messaging-context.ts';

export const HELD_JOB = 'delivery.held_look';
const EVERY_MS = 5_000;

/**
 * An offer waits for a live session of the agent. A beat by call or stream says itself that the session is fresh again; one
 * by a heartbeat file says nothing, so while something waits the files are looked at. One look serves all that wait.
 */
export async function watchHeld(context: MessagingContext, tx: Tx, agent: string): Promise<void> {
  const { jobs, settings } = context;
  if (settings.heartbeatDir === undefined) return;
  // Replaced, for a look that is under way may have missed this one; the time stays the same.
  const dueAt = nextLook(context);
  await jobs.enqueue(tx, HELD_JOB, agent, { key: agent, dueAt, onConflict: 'replace' });
}

export const nextLook = ({ clock }: Pick<MessagingContext, 'clock'>): number =>
  (Math.floor(clock.now() / EVERY_MS) + 1) * EVERY_MS;
