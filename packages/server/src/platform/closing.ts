import { messageOf } from './error-words.ts';

/** Things to close, last opened first. What fails to close does not keep the others open. */
export class Closing {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).toReversed()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 0) return;
    const words = failures.map(messageOf).join('; ');
    throw new AggregateError(failures, `could not close everything: ${words}`);
  }
}
