import type { Clock } from '../clock.ts';
import { RedisScript } from '../redis/script.ts';
import type { SharedRedis } from '../redis/shared-redis.ts';
import { type LimitVerdict, PASSED } from './limiter.ts';
import { HeldSlots, NO_SLOT, type Slots } from './slots.ts';

/** Longer than a stream is open. */
const KEPT_MS = 24 * 3_600_000;

/** What this node would hold, the limit, and the other nodes that count: noted unless all together would hold too many. */
const TAKE = new RedisScript(`
local held = tonumber(ARGV[3])
for i = 5, #ARGV do held = held + tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or 0) end
if held > tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
return 1
`);

/** What this node holds now. */
const NOTE = new RedisScript(`
if ARGV[3] == '0' then redis.call('HDEL', KEYS[1], ARGV[2])
else
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
end
return 1
`);

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
    options.redis.commands.on('ready', () => {
      for (const key of this.#untold) this.#note(key);
    });
  }

  async take(key: string): Promise<LimitVerdict> {
    const { asked, others, limit } = this.#options;
    const mine = this.#held.change(key, 1);
    let fits: boolean;
    try {
      fits = (await this.#run(TAKE, key, [mine, limit, ...others()])) === 1;
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
    this.#run(NOTE, key, [this.#held.of(key)]).catch(() => this.#untold.add(key));
  }

  #run(script: RedisScript, key: string, args: readonly (string | number)[]): Promise<unknown> {
    const { redis, clock, node, name } = this.#options;
    return script.run(redis.commands, clock, [redis.key(`slots:${name}:${key}`)], [node, ...args]);
  }
}
