import type { Clock } from '../clock.ts';
import type { SharedRedis } from '../redis/shared-redis.ts';
import { LIMITS } from './library.ts';
import { type LimitVerdict, PASSED } from './limiter.ts';
import { HeldSlots, NO_SLOT, type Slots } from './slots.ts';

export interface SharedSlotsOptions {
  readonly redis: SharedRedis;
  readonly clock: Clock;
  /** This node, and the others as far as was last seen: what one that is gone held is free. */
  readonly node: string;
  readonly others: () => readonly string[];
  readonly name: string;
  readonly limit: number;
  /** Redis was asked, in vain or not. */
  readonly asked: (trouble?: unknown) => void;
}

/**
 * Slots over all nodes. Each node tells how many it holds of a key, as a whole number and in order, so that what Redis missed while it
 * was away is put right by the next word. Away, each node allows its share.
 */
export class SharedSlots implements Slots {
  readonly #options: SharedSlotsOptions;
  readonly #held = new HeldSlots();
  /** What Redis was told of in vain. */
  readonly #untold = new Set<string>();

  constructor(options: SharedSlotsOptions) {
    this.#options = options;
    // It may have been restarted, and then knows of nothing.
    options.redis.commands.on('ready', () => {
      for (const key of new Set([...this.#untold, ...this.#held.keys])) this.#note(key);
    });
  }

  async take(key: string): Promise<LimitVerdict> {
    const { asked, others, limit } = this.#options;
    const mine = this.#held.change(key, 1);
    let fits: boolean;
    try {
      fits = (await this.#run('take_slot', key, [mine, limit, ...others()])) === 1;
      asked();
    } catch (error) {
      asked(error);
      this.#untold.add(key);
      fits = mine <= Math.max(1, Math.floor(limit / (others().length + 1)));
    }
    if (fits) return PASSED;
    this.release(key);
    return NO_SLOT;
  }

  release(key: string): void {
    this.#held.change(key, -1);
    this.#note(key);
  }

  #note(key: string): void {
    this.#untold.delete(key);
    this.#run('note_slots', key, [this.#held.of(key)]).catch(() => this.#untold.add(key));
  }

  #run(step: 'take_slot' | 'note_slots', key: string, args: readonly (string | number)[]): Promise<unknown> {
    const { redis, clock, node, name } = this.#options;
    return LIMITS.run(redis.commands, clock, step, redis.key(`slots:${name}:${key}`), [node, ...args]);
  }
}
