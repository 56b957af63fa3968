import type { CueStatus } from '@parley/protocol/delivery/vocabulary';

/**
 * The life of a cue.
 *
 * | status | meaning | leaves by |
 * | --- | --- | --- |
 * | `active` | waits for its next time, or for the end of its only run | paused → paused; a single run succeeded → completed; it failed → failed |
 * | `paused` | fires only when somebody fires it by hand | resumed → active; a single run ended → completed or failed |
 * | `completed` | its only run succeeded | resumed with a time to come → active; a late failure → failed |
 * | `failed` | its only run failed, or its time was skipped | resumed → active; a late success → completed |
 *
 * A recurring cue is active or paused, whatever becomes of its runs.
 */
export type CueEvent = 'paused' | 'resumed' | 'once_succeeded' | 'once_failed';

type Row = Readonly<Partial<Record<CueEvent, CueStatus>>>;

const ENDS: Row = { once_succeeded: 'completed', once_failed: 'failed' };

const TABLE: Readonly<Record<CueStatus, Row>> = {
  active: { paused: 'paused', resumed: 'active', ...ENDS },
  paused: { paused: 'paused', resumed: 'active', ...ENDS },
  completed: { resumed: 'active', ...ENDS },
  failed: { resumed: 'active', ...ENDS },
};

/** Undefined when the event changes nothing in this status. */
export const nextCueStatus = (status: CueStatus, event: CueEvent): CueStatus | undefined =>
  TABLE[status][event];

/** By hand, or at the end of a chain. */
export const mayFire = (status: CueStatus): boolean => status === 'active' || status === 'paused';
