import type { Clock } from '../../platform/clock.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';
import type { ChannelCounters } from '../store.ts';
import { BOOK, type BookFunction } from './book-functions.ts';

/** What all channels of all nodes hold together. */
export type Totals = Pick<
  ChannelCounters,
  'channels' | 'asleep' | 'participants' | 'events' | 'retainedBytes' | 'trackedAddresses'
>;

/** What one step changed of the totals. */
export interface Account {
  readonly totals: readonly [number, number, number, number, number];
  /** Whose slot is free again. */
  readonly address: string;
  readonly gone: boolean;
}

const NOTHING: Account['totals'] = [0, 0, 0, 0, 0];

/** As Redis answers: the totals, and how many addresses have channels. */
type Known = readonly [...Account['totals'], addresses: number];

const plus = (one: Account['totals'] | Known, other: Account['totals']): Account['totals'] => [
  one[0] + other[0],
  one[1] + other[1],
  one[2] + other[2],
  one[3] + other[3],
  one[4] + other[4],
];

/**
 * The books over all channels: totals, the slots of addresses, which channels there are. They lie in another slot of a Redis
 * cluster than the channels, so they follow a moment after: a node that dies in between leaves them a little wrong, until two
 * sweeps have found them so, at rest. Slots end with the longest life a channel can have.
 */
export class ChannelBook {
  readonly #redis: SharedRedis;
  readonly #clock: Clock;
  readonly #key: string;
  readonly #baseOf: (channelId: string) => string;
  #pending: Account['totals'] = NOTHING;
  /** Told to Redis, which has not answered yet. */
  #told: Account['totals'] = NOTHING;
  #ends: (string | number)[] = [];
  #settling: Promise<void> | undefined;
  #known: Known = [0, 0, 0, 0, 0, 0];

  constructor(redis: SharedRedis, clock: Clock, baseOf: (channelId: string) => string) {
    this.#baseOf = baseOf;
    this.#redis = redis;
    this.#clock = clock;
    this.#key = redis.key('{channels}');
  }

  /** As of the last answer, with what this node did since. */
  get totals(): Totals {
    const since = plus(this.#told, this.#pending);
    const [channels, asleep, participants, events, retainedBytes] = plus(this.#known, since);
    return { channels, asleep, participants, events, retainedBytes, trackedAddresses: this.#known[5] };
  }

  get retainedBytes(): number {
    return this.#known[4] + this.#told[4] + this.#pending[4];
  }

  async start(): Promise<void> {
    await BOOK.load(this.#redis.commands);
    await this.refresh();
  }

  async look(address: string): Promise<number> {
    const [held, totals] = (await this.#run('look', [address])) as [number, Known];
    this.#known = totals;
    return held;
  }

  /** Takes a slot unless the address has `most` already: then it answers how many it has. */
  async take(
    address: string,
    channelId: string,
    { until, most }: { until: number; most: number | undefined },
  ): Promise<number | undefined> {
    const args = [address, channelId, until, most ?? -1];
    const [held, totals] = (await this.#run('take', args)) as [number, Known];
    this.#known = totals;
    return held < 0 ? undefined : held;
  }

  /** Notes what a step changed; told to Redis at the end of this turn, for all steps of the turn at once. */
  note(channelId: string, { totals, address, gone }: Account): void {
    if (totals.every((change) => change === 0) && address === '' && !gone) return;
    this.#pending = plus(this.#pending, totals);
    if (address !== '' || gone) this.#ends.push(channelId, address, gone ? 1 : 0);
    void this.settle();
  }

  /** One event of so many bytes. */
  noteSent(bytes: number): void {
    this.#pending = plus(this.#pending, [0, 0, 0, 1, bytes]);
    void this.settle();
  }

  /** Resolves when all that was noted is in the books. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle();
    return this.#settling;
  }

  async refresh(): Promise<void> {
    await this.look('');
  }

  async isMyTurn(everyMs: number): Promise<boolean> {
    return (await this.#run('turn', [everyMs])) === 1;
  }

  async correct(before: Totals, counted: readonly number[]): Promise<void> {
    const was = [before.channels, before.asleep, before.participants, before.events, before.retainedBytes];
    if ((await this.#run('correct', [...was, ...counted])) === 1) await this.refresh();
  }

  /** The ids of all channels, some at a time. */
  async *ids(): AsyncGenerator<readonly string[]> {
    for (let cursor = '0'; ; ) {
      const [next, found] = await this.#redis.commands.zscan(`${this.#key}:index`, cursor, 'COUNT', 200);
      yield found.filter((_, at) => at % 2 === 0);
      if (next === '0') return;
      cursor = next;
    }
  }

  /** Those that were never made, or ended without a word; those of the last minute may be about to be. */
  async forget(channelIds: readonly string[]): Promise<void> {
    if (channelIds.length > 0) await this.#run('forget', [this.#clock.now() - 60_000, ...channelIds]);
  }

  async #settle(): Promise<void> {
    // What else happens in this turn goes along.
    await Promise.resolve();
    while (this.#ends.length > 0 || this.#pending.some((change) => change !== 0)) {
      const ends = this.#ends;
      this.#told = this.#pending;
      this.#pending = NOTHING;
      this.#ends = [];
      const reply = await this.#run('settle', [...this.#told, ...ends]).catch(() => undefined);
      this.#told = NOTHING;
      if (reply === undefined) {
        // Told again with the next word: who ended a channel has its slot back. What the totals miss, the sweep finds.
        this.#ends.unshift(...ends);
        break;
      }
      const [totals, forgotten] = reply as [Known, string[]];
      this.#known = totals;
      for (const id of forgotten) this.#redis.commands.del(this.#baseOf(id)).catch(() => {});
    }
    // In the same step as the last look at what is pending: what is noted from here on begins anew.
    this.#settling = undefined;
  }

  async #run(step: BookFunction, args: readonly (string | number)[]): Promise<unknown> {
    return await BOOK.run(this.#redis.commands, this.#clock, step, this.#key, args);
  }
}
