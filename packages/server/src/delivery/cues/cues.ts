import { isCueId } from '@parley/protocol/delivery/ids';
import type { CueListQuery } from '@parley/protocol/delivery/types';
import { hasScope, MANAGE_AGENTS_SCOPE } from '@parley/protocol/identity/scopes';
import type { Caller } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { CueContext } from './cue-context.ts';
import type { CueRow } from './record/cue-row.ts';
import { countCues, cuePage, deleteCue, lockCue, readCue } from './record/cue-store.ts';
import { countFreed } from '../usage/usage-store.ts';
import { deleteRuns, sessionsOffered } from './runs/run-store.ts';
import { stopTimer } from './firing/timers.ts';

/** A cue the caller may look at and change: its owner's, and not of an agent beyond its reach. */
export async function ownCue(context: CueContext, caller: Caller, id: string): Promise<CueRow> {
  const cue = isCueId(id) ? await readCue(context.database.read, caller.ownerId, id) : undefined;
  if (!cue) throw new DeliveryError('cue_not_found');
  await context.reach.target(caller, cue.agent);
  return cue;
}

export async function listCues(
  context: CueContext,
  caller: Caller,
  query: CueListQuery,
): Promise<{ cues: readonly CueRow[]; total: number }> {
  const { database, tallies, reach } = context;
  const only = await reach.only(caller);
  const filter = { ...query, only };
  const cues = await cuePage(database.read, caller.ownerId, filter);
  if (only !== undefined) return { cues, total: await countCues(database.read, caller.ownerId, filter) };
  const counts = await tallies.cues(database.read, caller.ownerId);
  return { cues, total: counts[query.status ?? 'all'] };
}

/** In the order asked for: those that are gone now, and those that were not there or are not the caller's. */
export async function removeCues(
  context: CueContext,
  caller: Caller,
  ids: readonly string[],
): Promise<{ deleted: string[]; skipped: string[] }> {
  const deleted: string[] = [];
  const skipped: string[] = [];
  for (const id of ids) {
    const gone = (await mayRemove(context, caller, id)) && (await removeCue(context, caller.ownerId, id));
    (gone ? deleted : skipped).push(id);
  }
  return { deleted, skipped };
}

async function mayRemove(context: CueContext, caller: Caller, id: string): Promise<boolean> {
  if (!isCueId(id)) return false;
  if (hasScope(caller.scopes, MANAGE_AGENTS_SCOPE)) return true;
  const cue = await readCue(context.database.read, caller.ownerId, id);
  const only = await context.reach.only(caller);
  return cue !== undefined && (cue.agent === null || cue.agent === only);
}

export function removeCue(context: CueContext, ownerId: string, id: string): Promise<boolean> {
  return context.database.write(async (tx) => {
    const cue = await lockCue(tx, ownerId, id);
    if (!cue) return false;
    await stopTimer(context, tx, cue);
    for (const session of await sessionsOffered(tx, id)) context.wakes.offersChanged(tx, session);
    const { removed, bytes } = await deleteRuns(tx, id);
    await deleteCue(tx, id);
    const { tallies } = context;
    await tallies.addCues(tx, ownerId, cue.status, -1);
    if (removed > 0) await tallies.addExecutions(tx, ownerId, -removed);
    if (bytes > 0) await countFreed(tx, ownerId, tallies.shard(), bytes);
    return true;
  });
}
