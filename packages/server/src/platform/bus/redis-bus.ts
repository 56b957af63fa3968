import type { Clock, Timer } from '../clock.ts';
import { Listeners } from '../listeners.ts';
import { heardUntilNow, type RedisConnection } from '../redis/connection.ts';
import type { Bus, BusListener, Unsubscribe } from './bus.ts';
import { MemoryBus } from './memory-bus.ts';

export interface RedisBusOptions {
  /** Listens, and does nothing else: a connection that listens takes no other command. */
  readonly listening: RedisConnection;
  readonly sending: RedisConnection;
  /** All nodes of one store hear each other here, and nobody else does. */
  readonly channel: string;
  /** What no other node calls itself. */
  readonly node: string;
  readonly clock: Clock;
  readonly onError: (error: unknown, subject: string) => void;
}

type Hint = readonly [subject: string, hint: string];

/** How long a lost hint may go unnoticed. */
const LOOK_EVERY_MS = 5_000;

/**
 * The bus of several nodes. Those of this process hear a hint at once, as if there were no others; the others hear it through one
 * Redis channel, all hints of a turn in one message. Redis away: hints to others are lost, which the looks of `onGap` make up for.
 */
export class RedisBus implements Bus {
  readonly #options: RedisBusOptions;
  readonly #local: MemoryBus;
  readonly #gaps: Listeners<void>;
  #outgoing: Hint[] = [];
  #sending: Promise<unknown> = Promise.resolve();
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: RedisBusOptions) {
    this.#options = options;
    this.#local = new MemoryBus(options.onError);
    this.#gaps = new Listeners((error) => options.onError(error, 'gap'));
  }

  /** Hears others from now on. A Redis that cannot be reached stops the start; later it is waited for. */
  async start(): Promise<void> {
    const { listening, channel } = this.#options;
    listening.on('message', (from: string, message: string) => {
      if (from === channel) this.#hear(message);
    });
    await listening.subscribe(channel);
    // After every connection but the first there was a hole. Not before it is heard again, which is asked for before this.
    listening.on('ready', () => void this.caughtUp().then(() => this.#gap()));
    this.#lookAgain();
  }

  publish(subject: string, hint = ''): void {
    if (this.#closed) return;
    this.#local.publish(subject, hint);
    this.#outgoing.push([subject, hint]);
    if (this.#outgoing.length === 1) queueMicrotask(() => this.#send());
  }

  subscribe(subject: string, listener: BusListener): Unsubscribe {
    return this.#local.subscribe(subject, listener);
  }

  onGap(listener: () => void): Unsubscribe {
    return this.#gaps.add(listener);
  }

  async sent(): Promise<void> {
    this.#send();
    await this.#sending;
  }

  /** What Redis passes on and what it answers come over one connection, in order. */
  async caughtUp(): Promise<void> {
    const { listening, channel } = this.#options;
    await heardUntilNow(listening, channel).catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#send();
    this.#closed = true;
    this.#timer?.cancel();
    await this.#local.close();
  }

  #send(): void {
    const hints = this.#outgoing;
    if (hints.length === 0) return;
    this.#outgoing = [];
    const { sending, channel, node } = this.#options;
    // Refused while there is no connection: those who listen look by themselves soon.
    this.#sending = sending.publish(channel, JSON.stringify([node, hints])).catch(() => {});
  }

  #hear(message: string): void {
    if (this.#closed) return;
    try {
      const [node, hints] = JSON.parse(message) as [string, readonly Hint[]];
      if (node === this.#options.node) return;
      for (const [subject, hint] of hints) this.#local.publish(subject, hint);
    } catch (error) {
      this.#options.onError(error, this.#options.channel);
    }
  }

  #lookAgain(): void {
    this.#timer = this.#options.clock.after(LOOK_EVERY_MS, () => {
      this.#gap();
      this.#lookAgain();
    });
  }

  #gap(): void {
    if (!this.#closed) this.#gaps.tell();
  }
}
