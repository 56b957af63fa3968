const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** The pauses between attempts to reach a server: longer after every failure, cut short when there is new hope. */
export class Backoff {
  #waitMs = FIRST_WAIT_MS;
  #skip: (() => void) | null = null;

  next(): number {
    const wait = this.#waitMs;
    this.#waitMs = Math.min(wait * 2, LONGEST_WAIT_MS);
    return wait;
  }

  /** An attempt succeeded. */
  reset(): void {
    this.#waitMs = FIRST_WAIT_MS;
  }

  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#skip = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#skip = null;
  }

  /** The network came back or the person did: do not sit out the rest of the wait. */
  skip(): void {
    this.#skip?.();
  }
}
