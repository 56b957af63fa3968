import { DeliveryError } from '../../../wire/delivery/errors.ts';
import { lockOwnJourney } from '../../executions/journeys.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import { isTerminal } from '../../records/execution-states.ts';
import { readExecution } from '../../records/execution-store.ts';
import { lockSessions } from '../../sessions/session-store.ts';
import type { CueContext } from '../cue-context.ts';
import { countFire, cueById } from '../record/cue-store.ts';
import { type Fire, scheduledFire } from '../firing/fire.ts';
import { FireRound } from '../firing/fire-round.ts';
import { fireNow } from '../firing/firing.ts';

/** Runs what is over once more, with the payload it had, by the way that is open now. */
export async function replayRun(context: CueContext, ownerId: string, id: string): Promise<ExecutionRow> {
  const { database, clock } = context;
  const seen = await readExecution(database.read, ownerId, id);
  return await database.write(async (tx) => {
    // As a detach does: first the sessions, then what they are offered.
    if (seen?.target != null) await lockSessions(tx, seen.target);
    const journey = await lockOwnJourney(tx, ownerId, id);
    const cue = journey && (await cueById(tx, journey.execution.cue_id));
    if (!journey || !cue) throw new DeliveryError('execution_not_found');
    const { execution: original } = journey;
    if (!isTerminal(original.status)) throw new DeliveryError('execution_in_flight');
    const fire: Fire = {
      ...scheduledFire(cue, clock.now()),
      trigger: 'replay',
      payload: JSON.parse(original.payload ?? '{}') as Fire['payload'],
      mode: original.delivery_mode,
      fallback: original.live_fallback_mode,
      policy: original.verification,
      replayedFrom: original.id,
    };
    const round = new FireRound(context, tx);
    const made = await fireNow(round, fire, original.target);
    if (!made) throw new Error('a replay was not stored');
    await countFire(tx, cue.id, { fired: 0, executions: 1 });
    await round.close();
    return made;
  });
}
