import { setTimeout as sleep } from 'node:timers/promises';
import { TransportError } from '@parley/sdk/channels/transport';
import { mayPass } from '@parley/sdk/passing';
import { printNote } from './output.ts';

const PAUSE_MS = 1_000;

/** As all refusals have it, of whichever protocol. */
const statusOf = (error: unknown): number =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 0;

/** Whether it may be over in a moment: nobody answers, or the server is too busy or about to restart. */
const isPassing = (error: unknown): boolean => error instanceof TransportError || mayPass(statusOf(error));

/**
 * For commands that wait: a server that goes away for a moment, as in a restart, is waited for, and that is told once. One that never
 * answered is a wrong address, and a failure at once.
 */
export class Patience {
  readonly #signal: AbortSignal | undefined;
  #reached = false;
  #told = false;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  answered(): void {
    this.#reached = true;
    this.#told = false;
  }

  /** Throws what does not pass; else waits for a while. */
  async after(failure: unknown): Promise<void> {
    if (this.#signal?.aborted) return;
    if (!this.#reached || !isPassing(failure)) throw failure;
    if (!this.#told) printNote('the server does not answer; going on when it does');
    this.#told = true;
    await sleep(PAUSE_MS, undefined, this.#signal && { signal: this.#signal }).catch(() => undefined);
  }
}
