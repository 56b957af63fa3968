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

/** Node's timers come up to a millisecond early, too early for whoever then compares times: so the clock is asked again. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const deadline = performance.now() + ms;
    return wait(() => deadline - performance.now(), LONGEST_DELAY, fn);
  },
  at: (time, fn) => wait(() => time - Date.now(), LOOK_AGAIN_MS, fn),
};

/** Runs `fn` once nothing is left, looking at least every `longest` milliseconds. */
function wait(left: () => number, longest: number, fn: () => void): Timer {
  let handle: NodeJS.Timeout;
  const look = (): void => (left() > 0 ? arm() : fn());
  const arm = (): void => {
    handle = setTimeout(look, Math.min(Math.max(0, Math.ceil(left())), longest));
    handle.unref();
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}
