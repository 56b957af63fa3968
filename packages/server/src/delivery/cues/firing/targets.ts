import { MAX_ADDRESS } from '@parley/protocol/delivery/limits';
import { DeliveryError } from '../../../wire/delivery/errors.ts';
import { slugFromTask } from '../../sessions/slug-from-task.ts';
import type { CueContext } from '../cue-context.ts';
import { type Fire, wantedBy } from './fire.ts';

/** What of a fire has to be looked up by name: nothing where the cue names its agent, or the payload none. */
export function namesAgent(fire: Fire): boolean {
  const { cue, payload } = fire;
  if (cue.agent !== null) return false;
  if (typeof payload.agent === 'string') return true;
  return typeof payload.task === 'string' && wantedBy(fire).mode !== null;
}

/**
 * The agent a fire is for, by suffix: the one the cue names, else the one its payload names, else the one its task stands for
 * when the fire asks for a way to an agent. Null: it goes by the transport of the cue.
 */
export async function targetOfFire(context: CueContext, fire: Fire): Promise<string | null> {
  const { cue, payload } = fire;
  if (cue.agent !== null) return cue.agent;
  if (!namesAgent(fire)) return null;
  if (typeof payload.agent === 'string') return await ownAgent(context, cue.owner_id, payload.agent);
  const task = String(payload.task);
  const [owner] = [...(await context.directory.ownerSlugs(context.database.read, [cue.owner_id])).values()];
  return await ownAgent(context, cue.owner_id, slugFromTask(task, owner ?? '', null));
}

/** Undefined names and agents of others are as good as none: the fire goes its plain way. */
async function ownAgent(context: CueContext, ownerId: string, ref: string): Promise<string | null> {
  if (ref.length > MAX_ADDRESS) return null;
  try {
    return (await context.directory.resolveOwn(ownerId, ref)).suffix;
  } catch (error) {
    if (error instanceof DeliveryError) return null;
    throw error;
  }
}
