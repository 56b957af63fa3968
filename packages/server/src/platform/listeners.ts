import type { Unsubscribe } from './bus/bus.ts';

/** Who wants to hear of one kind of thing. A listener that throws is reported and the others are told all the same. */
export class Listeners<T> {
  /** Each in an object of its own, so that one function may listen twice and leave once. */
  readonly #all = new Set<{ readonly listener: (value: T) => void }>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  add(listener: (value: T) => void): Unsubscribe {
    const entry = { listener };
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  tell(value: T): void {
    for (const { listener } of this.#all) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
