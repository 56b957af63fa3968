import type { Bus, Unsubscribe } from '../../platform/bus/bus.ts';
import type { Dialect, Tx } from '../../platform/database/database.ts';
import type { Waiters, WakeReason } from '../../platform/streams/waiters.ts';

const SUBJECT = 'delivery.wake';

/** Hints of other nodes may be lost, and are where nothing carries them; on a shared store whoever waits looks itself. */
const SHARED_STORE_LOOK_MS = 5_000;

const offersOf = (sessionId: string): string => `delivery.offers ${sessionId}`;

/** What a request can be parked for. */
export const topics = {
  inbox: (agent: string): string => `inbox ${agent}`,
  /** Everything an owner's workers may claim; with a task, what that task may. */
  claimable: (ownerId: string, task: string | null): string =>
    task === null ? `claimable ${ownerId}` : `claimable ${ownerId} ${task}`,
  execution: (id: string): string => `execution ${id}`,
};

export interface Hold<T> {
  readonly topic: string;
  readonly waitMs: number;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Looks in the store; what is not done yet is looked for again after a wake. */
  readonly look: () => Promise<{ readonly done: boolean; readonly value: T }>;
}

export interface WakesOptions {
  readonly bus: Bus;
  readonly waiters: Waiters<string>;
  readonly monotonic: () => number;
  readonly dialect: Dialect;
}

/** Parks requests until something happens, on whichever node it happens. A wake carries nothing: the store is read. */
export class Wakes {
  readonly #bus: Bus;
  readonly #waiters: Waiters<string>;
  readonly #monotonic: () => number;
  readonly #longestSleep: number;
  readonly #leave: () => void;

  constructor(options: WakesOptions) {
    this.#bus = options.bus;
    this.#waiters = options.waiters;
    this.#monotonic = options.monotonic;
    this.#longestSleep = options.dialect === 'postgres' ? SHARED_STORE_LOOK_MS : Number.POSITIVE_INFINITY;
    this.#leave = options.bus.subscribe(SUBJECT, (topic) => void this.#waiters.wake(topic));
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
    return this.#bus.subscribe(offersOf(sessionId), listener);
  }

  /** The last look, once it is done or the time is over. Parks before it looks, so that nothing falls in between. */
  async hold<T>({ topic, waitMs, signal, look }: Hold<T>): Promise<T> {
    const deadline = this.#monotonic() + waitMs;
    for (;;) {
      const left = deadline - this.#monotonic();
      const place = this.#park(topic, Math.max(0, Math.min(left, this.#longestSleep)), signal);
      try {
        const { done, value } = await look();
        if (done || left <= 0 || signal.aborted) return value;
        const reason = await place.outcome;
        if (reason === 'ended' || reason === 'aborted') return value;
      } finally {
        place.leave();
      }
    }
  }

  #park(topic: string, ms: number, signal: AbortSignal) {
    const leaving: (() => void)[] = [];
    const outcome = new Promise<WakeReason | 'aborted'>((resolve) => {
      const waiter = this.#waiters.park(topic, 0, ms, resolve);
      const abort = (): void => resolve('aborted');
      signal.addEventListener('abort', abort, { once: true });
      leaving.push(
        () => void this.#waiters.unpark(waiter),
        () => signal.removeEventListener('abort', abort),
      );
    });
    return { outcome, leave: () => leaving.forEach((leave) => leave()) };
  }

  close(): void {
    this.#leave();
  }
}
