import { Listeners } from '../listeners.ts';
import type { Bus, BusListener, Unsubscribe } from './bus.ts';

/** The bus of a single process. Hints are handed over after the publisher's turn, in the order of publication. */
export class MemoryBus implements Bus {
  readonly #onError: (error: unknown, subject: string) => void;
  readonly #listeners = new Map<string, Listeners<string>>();
  #queue: { subject: string; hint: string }[] = [];
  #closed = false;

  constructor(onError: (error: unknown, subject: string) => void) {
    this.#onError = onError;
  }

  publish(subject: string, hint = ''): void {
    if (this.#closed || !this.#listeners.has(subject)) return;
    this.#queue.push({ subject, hint });
    if (this.#queue.length === 1) queueMicrotask(() => this.#deliver());
  }

  subscribe(subject: string, listener: BusListener): Unsubscribe {
    const all = this.#listeners.get(subject) ?? new Listeners((error) => this.#onError(error, subject));
    this.#listeners.set(subject, all);
    const leave = all.add(listener);
    return () => {
      leave();
      if (all.isEmpty && this.#listeners.get(subject) === all) this.#listeners.delete(subject);
    };
  }

  onGap(): Unsubscribe {
    return () => {};
  }

  async sent(): Promise<void> {}

  async caughtUp(): Promise<void> {}

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue = [];
    this.#listeners.clear();
  }

  #deliver(): void {
    const batch = this.#queue;
    this.#queue = [];
    for (const { subject, hint } of batch) this.#listeners.get(subject)?.tell(hint);
  }
}
