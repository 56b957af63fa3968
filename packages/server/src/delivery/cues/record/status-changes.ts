import type { Tx } from '../../../platform/database/database.ts';
import type { CueContext } from '../cue-context.ts';
import type { CueRow } from './cue-row.ts';
import { type CueEvent, nextCueStatus } from './cue-states.ts';
import { patchCue } from './cue-store.ts';
import { stopTimer } from '../firing/timers.ts';

/** Moves a cue that is locked. What is not active waits for no time. */
export async function changeStatus(
  context: CueContext,
  tx: Tx,
  cue: CueRow,
  event: Exclude<CueEvent, 'resumed'>,
): Promise<CueRow> {
  const status = nextCueStatus(cue.status, event);
  if (status === undefined || status === cue.status) return cue;
  const change = { status, next_run: null, updated_at: context.clock.now() };
  await stopTimer(context, tx, cue);
  await patchCue(tx, cue.id, change);
  await countStatus(context, tx, cue, status);
  return { ...cue, ...change };
}

/** How many cues of each status there are. */
export async function countStatus(
  context: CueContext,
  tx: Tx,
  { owner_id: ownerId, status: before }: Pick<CueRow, 'owner_id' | 'status'>,
  after: CueRow['status'],
): Promise<void> {
  if (before === after) return;
  await context.tallies.addCues(tx, ownerId, before, -1);
  await context.tallies.addCues(tx, ownerId, after, 1);
}
