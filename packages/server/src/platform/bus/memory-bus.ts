import type { Bus, BusListener, Unsubscribe } from './bus.ts';

/** The bus of a single process. Hints are handed over after the publisher's turn, in the order of publication. */
export class MemoryBus implements Bus {
  readonly #onError: (error: unknown, subject: string) => void;
  readonly #listeners = new Map<string, Set<Subscription>>();
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
    const subscription: Subscription = { listener };
    const others = this.#listeners.get(subject);
    if (others) others.add(subscription);
    else this.#listeners.set(subject, new Set([subscription]));
    return () => {
      const listeners = this.#listeners.get(subject);
      if (listeners?.delete(subscription) && listeners.size === 0) this.#listeners.delete(subject);
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
    for (const { subject, hint } of batch) {
      for (const { listener } of this.#listeners.get(subject) ?? []) {
        try {
          listener(hint);
        } catch (error) {
          this.#onError(error, subject);
        }
      }
    }
  }
}

/** An object of its own, so that one function may listen twice and leave once. */
interface Subscription {
  readonly listener: BusListener;
}
