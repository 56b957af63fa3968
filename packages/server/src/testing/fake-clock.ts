import type { Clock, Timer } from '../platform/clock.ts';
import { postgresAtRest } from './postgres-rest.ts';

/** A clock that moves only when told. `advance` fires due timers in order, letting promises settle in between. */
export class FakeClock implements Clock {
  /** Never goes back: timers run by it, whatever the time of day is said to be. */
  #now: number;
  #setBack = 0;
  #timers: { at: number; order: number; fn: () => void }[] = [];
  #order = 0;

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now - this.#setBack;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, fn: () => void): Timer {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, fn };
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  at(time: number, fn: () => void): Timer {
    return this.after(time - this.now(), fn);
  }

  /** Moves at once, as when the machine slept: whatever was due fires once, late. For days, where `advance` is slow. */
  async leap(ms: number): Promise<void> {
    await settle();
    this.#now += ms;
    await this.advance(0);
  }

  /** The time of day is found to be earlier. What was to happen in a while still happens in that while. */
  setBack(ms: number): void {
    this.#setBack += ms;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const due = this.#timers
        .filter((t) => t.at <= end)
        .toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.at);
      due.fn();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Gives pending I/O callbacks and promise chains a few turns of the event loop, and the database the time it needs. */
async function settle(): Promise<void> {
  await turns();
  await postgresAtRest();
  await turns();
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
