import type { Tx } from '../../platform/database/database.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { heldOffers } from '../records/execution-store.ts';
import { isFresh } from '../routing/freshness.ts';
import { HELD_JOB, nextLook } from './held-watch.ts';
import { offerHeld } from './live-offers.ts';

/** Looks whether a session is fresh again for which offers are held. */
export function defineHeldLook(context: MessagingContext): void {
  context.jobs.defineWrite<string>(HELD_JOB, (tx, agent) => look(context, tx, agent), { concurrency: 4 });
}

async function look(context: MessagingContext, tx: Tx, agent: string): Promise<number | undefined> {
  // As a detach does: first the sessions, then what they are offered.
  await context.recipients.lockSessions(tx, agent);
  if (await somebodyIsFresh(context, tx, agent)) await offerHeld(context, tx, agent);
  return (await heldOffers(tx, agent)).length > 0 ? nextLook(context) : undefined;
}

async function somebodyIsFresh(context: MessagingContext, tx: Tx, agent: string): Promise<boolean> {
  const { recipients, clock, settings } = context;
  const sessions = await recipients.sessions(tx, agent);
  return sessions.some(({ beatAt }) => isFresh(beatAt, clock.now(), settings.heartbeatThresholdMs));
}
