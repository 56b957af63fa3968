/** The only source of time. Nothing outside `platform/` calls `Date.now` or `setTimeout`. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Monotonic milliseconds, for measuring durations. */
  monotonic(): number;
  /** Runs `fn` once after `ms`; does not keep the process alive. */
  after(ms: number, fn: () => void): Timer;
  /** Runs `fn` once when the time of day has come, also when the machine slept or its clock was set in between. */
  at(time: number, fn: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** Node fires a longer delay at once, so longer sleeps are cut into pieces of this size. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** A timer stands still while the machine sleeps, so a time of day is looked at again after this long. */
const LOOK_AGAIN_MS = 30_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const deadline = performance.now() + ms;
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      const left = deadline - performance.now();
      handle =
        left > LONGEST_DELAY ? setTimeout(arm, LONGEST_DELAY) : setTimeout(fn, Math.max(0, Math.ceil(left)));
      handle.unref();
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
  at(time, fn) {
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      const left = time - Date.now();
      handle = left > LOOK_AGAIN_MS ? setTimeout(arm, LOOK_AGAIN_MS) : setTimeout(fn, Math.max(0, left));
      handle.unref();
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};
