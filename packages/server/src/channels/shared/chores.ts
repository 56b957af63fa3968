import type { Clock, Timer } from '../../platform/clock.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import { ChannelError } from '../errors.ts';

/** What a node does by itself, by the clock. What fails is logged; a Redis that is away is told elsewhere. */
export class Chores {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #timers = new Set<Timer>();
  #stopped = false;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  every(ms: number, work: () => unknown): void {
    this.after(ms, () => {
      if (!this.#stopped) this.every(ms, work);
      return work();
    });
  }

  after(ms: number, work: () => unknown): void {
    const timer = this.#clock.after(ms, () => {
      this.#timers.delete(timer);
      void this.try(work);
    });
    this.#timers.add(timer);
  }

  async try(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      const told = this.#stopped || error instanceof ChannelError;
      if (!told) this.#log.warn('channel_chore_failed', errorFields(error));
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) timer.cancel();
  }
}
