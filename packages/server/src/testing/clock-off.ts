import { type Clock, systemClock } from '../platform/clock.ts';

/** The clock of a machine that is ahead, or behind. */
export const clockOff = (ms: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + ms,
  at: (time, fn) => systemClock.at(time - ms, fn),
});
