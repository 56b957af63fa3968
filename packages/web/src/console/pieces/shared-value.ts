import { useSyncExternalStore } from 'react';

/** A value that stands outside of the views; whichever shows it follows it. */
export class SharedValue<Value> {
  #value: Value;
  readonly #views = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get now(): Value {
    return this.#value;
  }

  set(value: Value): void {
    this.#value = value;
    for (const tell of this.#views) tell();
  }

  readonly #follow = (tell: () => void): (() => void) => {
    this.#views.add(tell);
    return () => this.#views.delete(tell);
  };

  use(): Value {
    return useSyncExternalStore(this.#follow, () => this.#value);
  }
}
