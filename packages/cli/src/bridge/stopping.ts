import type { Clock, Timer } from '@parley/sdk/channels/clock';
import type { CutTransport } from './cut-transport.ts';

/** For what is under way to come to its end by itself. */
const GRACE_MS = 1_200;
/** After which nothing waits for a server any more: well within the two seconds that a service manager is promised. */
const CUT_MS = 1_400;

/** How a bridge that is told to stop comes to its end in time, also when its server leaves it without an answer. */
export class Stopping {
  readonly #clock: Clock;
  readonly #transport: CutTransport;
  #since: number | undefined;
  #timer: Timer | undefined;

  constructor(signal: AbortSignal, { clock, transport }: { clock: Clock; transport: CutTransport }) {
    this.#clock = clock;
    this.#transport = transport;
    if (signal.aborted) this.#begin();
    else signal.addEventListener('abort', () => this.#begin(), { once: true });
  }

  /** How much longer what is under way may take. */
  get graceMs(): number {
    return Math.max(0, this.#begin() + GRACE_MS - this.#clock.now());
  }

  over(): void {
    this.#timer?.cancel();
  }

  #begin(): number {
    if (this.#since !== undefined) return this.#since;
    this.#since = this.#clock.now();
    this.#timer = this.#clock.after(CUT_MS, () => this.#transport.cut());
    return this.#since;
  }
}
