import type { Bus, Unsubscribe } from '../../platform/bus/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { park } from '../../platform/streams/long-poll.ts';
import type { Waiters } from '../../platform/streams/waiters.ts';
import type { Platform } from '../../platform.ts';

const SUBJECT = 'delivery.wake';

const offersOf = (sessionId: string): string => `delivery.offers ${sessionId}`;

/** What a request can be parked for. */
export const topics = {
  inbox: (agent: string): string => `inbox ${agent}`,
  /** Everything an owner's workers may claim; with a task, what that task may. */
  claimable: (ownerId: string, task: string | null): string =>
    task === null ? `claimable ${ownerId}` : `claimable ${ownerId} ${task}`,
  execution: (id: string): string => `execution ${id}`,
};

interface Hold<T> {
  readonly topic: string;
  readonly waitMs: number;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Looks in the store. */
  readonly look: () => Promise<T>;
  /** What is not done yet is looked for again after a wake. */
  readonly isDone: (seen: T) => boolean;
}

/** Where a list is looked for. */
export const isFilled = (list: readonly unknown[]): boolean => list.length > 0;

/** Parks requests until something happens, on whichever node it happens. A wake carries nothing: the store is read. */
export class Wakes {
  readonly #bus: Bus;
  readonly #waiters: Waiters<string>;
  readonly #clock: Clock;
  readonly #leaving: readonly Unsubscribe[];

  constructor({ bus, hub, clock }: Pick<Platform, 'bus' | 'hub' | 'clock'>) {
    this.#bus = bus;
    this.#waiters = hub.waiters;
    this.#clock = clock;
    this.#leaving = [
      bus.subscribe(SUBJECT, (topic) => void this.#waiters.wake(topic)),
      bus.onGap(() => this.#waiters.wakeAll()),
    ];
  }

  /** Once the transaction is on disk. */
  after(tx: Tx, ...woken: readonly string[]): void {
    tx.afterCommit(() => {
      for (const topic of woken) this.#bus.publish(SUBJECT, topic);
    });
  }

  /** Tells the monitor of a live session, once the transaction is on disk, that an offer came or went. */
  offersChanged(tx: Tx, sessionId: string): void {
    tx.afterCommit(() => this.#bus.publish(offersOf(sessionId)));
  }

  onOffersChanged(sessionId: string, listener: () => void): Unsubscribe {
    const leaving = [this.#bus.subscribe(offersOf(sessionId), listener), this.#bus.onGap(listener)];
    return () => leaving.forEach((leave) => leave());
  }

  /** The last look, once it is done or the time is over. Parks before it looks, so that nothing falls in between. */
  async hold<T>({ topic, waitMs, signal, look, isDone }: Hold<T>): Promise<T> {
    if (waitMs === 0) return await look();
    const deadline = this.#clock.monotonic() + waitMs;
    for (;;) {
      const left = deadline - this.#clock.monotonic();
      const place = park(this.#waiters, topic, 0, Math.max(0, left), signal);
      try {
        const value = await look();
        if (isDone(value) || left <= 0 || signal.aborted) return value;
        const reason = await place.outcome;
        if (reason === 'ended' || reason === 'aborted') return value;
      } finally {
        place.leave();
      }
    }
  }

  close(): void {
    for (const leave of this.#leaving) leave();
  }
}
