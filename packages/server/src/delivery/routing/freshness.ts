import type { BeatState } from '@parley/protocol/delivery/vocabulary';
import type { LiveState } from './routing.ts';

/** Fresh ⇔ attached and the last beat younger than the threshold. A beat as old as the threshold is stale. */
export const isFresh = (beatAt: number, now: number, thresholdMs: number): boolean =>
  now - beatAt < thresholdMs;

/** A beat from the future, of a file with a wrong clock, counts as now. */
export const ageMs = (beatAt: number, now: number): number => Math.max(0, now - beatAt);

export function beatState(beatAt: number | null, now: number, thresholdMs: number): BeatState {
  if (beatAt === null) return 'unknown';
  return isFresh(beatAt, now, thresholdMs) ? 'fresh' : 'stale';
}

/**
 * A beat that is stored late takes no younger one back. One that is younger by more than this was stamped before the clock
 * was set back, and would make whoever beat look alive for as long as the clock was wrong.
 */
export const LATE_BEAT_MS = 10_000;

/** The latest of several signs of life; signs from the future count as now. */
export function latestBeat(now: number, ...beats: readonly (number | null)[]): number | null {
  const known = beats.filter((beat) => beat !== null).map((beat) => Math.min(beat, now));
  return known.length === 0 ? null : Math.max(...known);
}

export interface TargetCandidate {
  readonly label: string;
  readonly isDefault: boolean;
  readonly beatAt: number;
}

/** The attached session an offer goes to: the one asked for, else the default, else the one that beat last. */
export function targetSession<Session extends TargetCandidate>(
  attached: readonly Session[],
  label: string | null,
): Session | undefined {
  if (label !== null) return attached.find((session) => session.label === label);
  const [latest] = attached.toSorted((a, b) => b.beatAt - a.beatAt);
  return attached.find((session) => session.isDefault) ?? latest;
}

export function liveState(session: TargetCandidate | undefined, now: number, thresholdMs: number): LiveState {
  if (!session) return 'none';
  return isFresh(session.beatAt, now, thresholdMs) ? 'fresh' : 'stale';
}
