import type { Clock, Timer } from './clock.ts';

/** What the wheel needs of a clock: it turns by durations. */
export type WheelClock = Pick<Clock, 'now' | 'monotonic' | 'after'>;

/**
 * Many coarse timeouts on one clock timer. Time is cut into ticks; an entry waits in the slot of the first tick at or
 * after its due time, so it never fires early and at most one tick late. The timer is armed for the next slot that
 * holds anything and not at all when the wheel is empty.
 */
export class TimerWheel {
  readonly #clock: WheelClock;
  readonly #tickMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #slots: WheelEntry[] = Array.from({ length: SLOTS }, () => new Sentinel());
  readonly #expired: WheelEntry = new Sentinel();
  /** The last tick whose slot was emptied. */
  #tick = 0;
  #armedTick = Number.POSITIVE_INFINITY;
  #timer: Timer | undefined;
  #size = 0;

  constructor(clock: WheelClock, options: TimerWheelOptions = {}) {
    this.#clock = clock;
    this.#tickMs = options.tickMs ?? 250;
    this.#onError = options.onError ?? throwLater;
  }

  /** How many entries wait. */
  get size(): number {
    return this.#size;
  }

  /** The clock that the wheel goes by. */
  monotonic(): number {
    return this.#clock.monotonic();
  }

  /** Runs `fn` once after `ms`. */
  add(ms: number, fn: () => void): WheelEntry {
    const entry = new CallbackEntry(fn);
    this.start(entry, ms);
    return entry;
  }

  /** (Re)starts an entry that brings its own `fire`, which spares a closure per waiting thing. */
  start(entry: WheelEntry, ms: number): void {
    this.cancel(entry);
    const now = this.#clock.monotonic();
    if (this.#size === 0) this.#tick = Math.floor(now / this.#tickMs);
    entry.due = Math.max(Math.ceil((now + Math.max(0, ms)) / this.#tickMs), this.#tick + 1);
    entry.linkBefore(this.#slot(entry.due));
    this.#size += 1;
    if (entry.due < this.#armedTick) this.#arm(entry.due);
  }

  /** Does nothing when the entry has fired, was cancelled or never started. */
  cancel(entry: WheelEntry): void {
    if (!entry.unlink()) return;
    this.#size -= 1;
    if (this.#size === 0) this.#disarm();
  }

  #slot(tick: number): WheelEntry {
    const slot = this.#slots[tick % SLOTS];
    if (!slot) throw new RangeError('a tick is a whole number');
    return slot;
  }

  #arm(tick: number): void {
    this.#disarm();
    this.#armedTick = tick;
    this.#timer = this.#clock.after(tick * this.#tickMs - this.#clock.monotonic(), () => this.#turn());
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedTick = Number.POSITIVE_INFINITY;
  }

  #turn(): void {
    this.#disarm();
    const now = Math.floor(this.#clock.monotonic() / this.#tickMs);
    const first = Math.max(this.#tick + 1, now - SLOTS + 1);
    for (let tick = first; tick <= now; tick++) this.#expire(this.#slot(tick), now);
    this.#tick = Math.max(this.#tick, now);
    for (let entry = this.#expired.next; entry && entry !== this.#expired; entry = this.#expired.next) {
      entry.unlink();
      this.#size -= 1;
      try {
        entry.fire();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#armNext();
  }

  /** Moved before any is fired, so that one that fires may still cancel the others. */
  #expire(slot: WheelEntry, now: number): void {
    for (let entry = slot.next; entry && entry !== slot; ) {
      const following = entry.next;
      if (entry.due <= now) {
        entry.unlink();
        entry.linkBefore(this.#expired);
      }
      entry = following;
    }
  }

  #armNext(): void {
    if (this.#size === 0) return;
    for (let tick = this.#tick + 1; tick <= this.#tick + SLOTS; tick++) {
      const slot = this.#slot(tick);
      if (slot.next === slot) continue;
      if (tick < this.#armedTick) this.#arm(tick);
      return;
    }
  }
}

export interface TimerWheelOptions {
  tickMs?: number;
  /** Told of an entry that threw; the others fire all the same. */
  onError?: (error: unknown) => void;
}

/** A node of a circular list, so that leaving it needs neither a search nor the list. */
export abstract class WheelEntry {
  prev: WheelEntry | undefined;
  next: WheelEntry | undefined;
  due = 0;

  abstract fire(): void;

  get waiting(): boolean {
    return this.next !== undefined;
  }

  linkBefore(other: WheelEntry): void {
    this.prev = other.prev;
    this.next = other;
    if (other.prev) other.prev.next = this;
    other.prev = this;
  }

  unlink(): boolean {
    if (!this.next || !this.prev) return false;
    this.prev.next = this.next;
    this.next.prev = this.prev;
    this.prev = undefined;
    this.next = undefined;
    return true;
  }
}

class Sentinel extends WheelEntry {
  constructor() {
    super();
    this.prev = this;
    this.next = this;
  }

  fire(): void {}
}

class CallbackEntry extends WheelEntry {
  readonly #fn: () => void;

  constructor(fn: () => void) {
    super();
    this.#fn = fn;
  }

  fire(): void {
    this.#fn();
  }
}

/** One turn of the wheel: 64 s at the usual tick, longer than any poll is held. Longer waits go round again. */
const SLOTS = 256;

/** What an uncaught throw in a plain timer would do, but after the other entries had their turn. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
