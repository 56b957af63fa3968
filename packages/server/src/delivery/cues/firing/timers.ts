import { hash } from 'node:crypto';
import type { Tx } from '../../../platform/database/database.ts';
import type { CueContext } from '../cue-context.ts';
import type { CueRow } from '../record/cue-row.ts';
import { nextAfter, type Schedule } from '../schedule/schedule.ts';

export const CUE_JOB = 'delivery.cue';

/** One due time of a cue. It is void once the cue waits for another time. */
export interface CueTimer {
  readonly cueId: string;
  readonly at: number;
  /** However late it is, it fires: somebody resumed it for that. */
  readonly late?: true;
}

type Spread = Schedule & Pick<CueRow, 'id' | 'jitter_seconds'>;
type Timed = Spread & Pick<CueRow, 'next_run'>;

const keyOf = ({ id, next_run: at }: Timed): string => `${id} ${at}`;

/** In the transaction that gave the cue its next time. */
export async function startTimer(
  { jobs }: Pick<CueContext, 'jobs'>,
  tx: Tx,
  cue: Timed,
  late = false,
): Promise<void> {
  const { id, next_run: at } = cue;
  if (at === null) return;
  const timer: CueTimer = late ? { cueId: id, at, late } : { cueId: id, at };
  const onConflict = late ? 'replace' : 'keep';
  await jobs.enqueue(tx, CUE_JOB, timer, { key: keyOf(cue), dueAt: dueAt(cue, at), onConflict });
}

/** Before the cue gets another time, or none. */
export async function stopTimer({ jobs }: Pick<CueContext, 'jobs'>, tx: Tx, cue: Timed): Promise<void> {
  if (cue.next_run !== null) await jobs.cancel(tx, CUE_JOB, keyOf(cue));
}

/**
 * Cues that share a time can be spread. By how much follows from the cue and the time, so that a restart changes nothing. It
 * ends before the next time of the cue: two of them neither change places nor come together, of which one would be missed.
 */
export function dueAt(cue: Spread, at: number): number {
  const { id, jitter_seconds: jitter } = cue;
  if (jitter === 0) return at;
  const share = Number.parseInt(hash('sha256', `${id} ${at}`, 'hex').slice(0, 8), 16) / 2 ** 32;
  const room = (nextAfter(cue, at) ?? Number.POSITIVE_INFINITY) - at;
  return at + Math.floor(share * Math.min(jitter * 1000, room));
}
