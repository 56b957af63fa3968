import type { BridgeConfig } from './kept/config.ts';

/** A connection that lived this long was a good one. */
const GOOD_MS = 30_000;

/** How long to stay away after each end of a connection: longer every time, until one was good for something. */
export class BackOff {
  readonly #reconnect: BridgeConfig['reconnect'];
  readonly #random: () => number;
  #attempt = 0;
  #atOnce = false;

  constructor(reconnect: BridgeConfig['reconnect'], random: () => number) {
    this.#reconnect = reconnect;
    this.#random = random;
  }

  /** A connection came to its end. One that is dropped as soon as it is made is no success. */
  ended({ livedMs, delivered }: { livedMs: number; delivered: boolean }): void {
    if (livedMs < GOOD_MS && !delivered) return;
    this.#attempt = 0;
    this.#atOnce = false;
  }

  /** For a connection that is to be made anew right away, unless the one before was, too. */
  again(): number {
    if (this.#atOnce) return this.next();
    this.#atOnce = true;
    return 0;
  }

  /** `leastMs`: what the server asks for. */
  next(leastMs = 0, baseMs = 0): number {
    const { baseDelayMs, maxDelayMs, jitterMs } = this.#reconnect;
    const base = Math.max(baseDelayMs, baseMs);
    const delay = Math.min(Math.max(maxDelayMs, base), base * 2 ** Math.min(this.#attempt++, 30));
    return Math.max(delay + Math.round(this.#random() * jitterMs), leastMs);
  }
}

const LONGEST_WAKE_DELAY_MS = 120_000;

/** How long a wake waits that has failed so often. */
export const wakeDelay = (firstMs: number, attempts: number): number =>
  Math.min(firstMs * 2 ** Math.min(attempts - 1, 5), LONGEST_WAKE_DELAY_MS);
