import type { Clock, Timer } from '../../platform/clock.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import type { RunningDelivery } from './webhook-kind.ts';

export interface OwnerQueueOptions {
  readonly ownerId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Attempts under way at a time. */
  readonly limit: number;
  /** Takes what is due, at most so many; `taken` counts also those there was no reason to send any more. */
  readonly claim: (limit: number) => Promise<{ taken: number; running: readonly RunningDelivery[] }>;
  /** When the next is due. */
  readonly nextDue: () => Promise<number | undefined>;
  /** Makes an attempt to its end. Returns when to look at this delivery again, if ever. */
  readonly attempt: (delivery: RunningDelivery) => Promise<number | undefined>;
  /** There is nothing left to do. */
  readonly idle: (queue: OwnerQueue) => void;
}

/** Claimed at a time: a long batch would keep its first request waiting for the last. */
const BATCH = 16;
const AFTER_ERROR_MS = 1_000;

/**
 * What one owner has to send, in the order it is due, so many at a time. Owners share nothing: one whose endpoint hangs fills
 * its own places and nobody else's. Sleeps until the next is due, or somebody says that one came.
 */
export class OwnerQueue {
  readonly ownerId: string;
  readonly #options: OwnerQueueOptions;
  readonly #attempts = new Set<Promise<void>>();
  #wakeAt = Number.POSITIVE_INFINITY;
  #timer: Timer | undefined;
  #claiming: Promise<void> | undefined;
  #stopped = false;

  constructor(options: OwnerQueueOptions) {
    this.ownerId = options.ownerId;
    this.#options = options;
  }

  get running(): number {
    return this.#attempts.size;
  }

  wake(time: number): void {
    this.#wakeAt = Math.min(this.#wakeAt, time);
    this.#pump();
  }

  /** Takes nothing more. Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#claiming;
    await Promise.all(this.#attempts);
  }

  #pump(): void {
    if (this.#stopped || this.#claiming) return;
    this.#timer?.cancel();
    const { clock, log, limit, ownerId } = this.#options;
    const free = limit - this.running;
    if (free === 0) return;
    if (this.#wakeAt > clock.now()) return this.#sleep();
    this.#claiming = this.#claim(Math.min(free, BATCH))
      .catch((error: unknown) => {
        log.error('webhooks_not_claimed', { owner: ownerId, ...errorFields(error) });
        this.#wakeAt = Math.min(this.#wakeAt, clock.now() + AFTER_ERROR_MS);
      })
      .finally(() => {
        this.#claiming = undefined;
        this.#pump();
      });
  }

  #sleep(): void {
    const { clock, idle } = this.#options;
    if (this.#wakeAt === Number.POSITIVE_INFINITY) {
      if (this.running === 0) idle(this);
      return;
    }
    this.#timer = clock.at(this.#wakeAt, () => this.#pump());
  }

  /** What is announced while the claim is under way lowers `#wakeAt` again and so is not missed. */
  async #claim(limit: number): Promise<void> {
    const { clock, claim, nextDue } = this.#options;
    const now = clock.now();
    this.#wakeAt = Number.POSITIVE_INFINITY;
    const { taken, running } = await claim(limit);
    for (const delivery of running) this.#run(delivery);
    const next = taken === limit ? now : await nextDue();
    this.#wakeAt = Math.min(this.#wakeAt, next ?? Number.POSITIVE_INFINITY);
  }

  #run(delivery: RunningDelivery): void {
    const attempt = this.#options.attempt(delivery).then((again) => {
      this.#attempts.delete(attempt);
      if (again !== undefined) this.#wakeAt = Math.min(this.#wakeAt, again);
      this.#pump();
    });
    this.#attempts.add(attempt);
  }
}
