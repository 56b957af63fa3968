import type { Platform } from '../../platform.ts';
import { RedisLibrary } from '../../platform/redis/library.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';

/** That somebody began to type, or said so again; by its id it is known at all nodes. */
export interface TypingStart {
  readonly agent: string;
  readonly id: string;
  readonly at: number;
  readonly ttlMs: number;
}

/** The last that Redis heard of one agent: it is over when nothing is left of it. */
interface LastStart extends TypingStart {
  readonly leftMs: number;
}

const BODIES = {
  /** agent, id, when it was said, for how long */
  start: `
    local ttl = tonumber(ARGV[5])
    redis.call('HSET', KEYS[1], ARGV[2], cmsgpack.pack(ARGV[3], ARGV[4], ARGV[5], now + ttl))
    if redis.call('PTTL', KEYS[1]) < ttl then redis.call('PEXPIRE', KEYS[1], ttl) end
    return 1
  `,
  /** agent, or nothing for all: answers who was typing. That they stopped is kept as long, for nodes that did not hear of it. */
  stop: `
    local all, stopped = redis.call('HGETALL', KEYS[1]), {}
    for i = 1, #all, 2 do
      local id, at, ttl, ends = cmsgpack.unpack(all[i + 1])
      if (ARGV[2] == '' or ARGV[2] == all[i]) and ends > now then
        redis.call('HSET', KEYS[1], all[i], cmsgpack.pack(id, at, ttl, 0))
        stopped[#stopped + 1] = all[i]
      end
    end
    return stopped
  `,
  look: `
    local all, known = redis.call('HGETALL', KEYS[1]), {}
    for i = 1, #all, 2 do
      local id, at, ttl, ends = cmsgpack.unpack(all[i + 1])
      known[#known + 1] = { all[i], id, at, ttl, math.max(0, ends - now) }
    end
    return known
  `,
} as const;

const TYPING = new RedisLibrary({ name: 'typing', functions: BODIES, freeing: ['stop', 'look'] });

/**
 * Who is typing where, as all nodes know it: one hash for each room, which is gone as soon as nobody in it could be typing. It is read
 * where hints may have been missed. Redis away, a node goes by what it heard.
 */
export class SharedTyping {
  readonly #redis: SharedRedis;
  readonly #clock: Platform['clock'];

  constructor(redis: SharedRedis, clock: Platform['clock']) {
    this.#redis = redis;
    this.#clock = clock;
  }

  async load(): Promise<void> {
    await TYPING.load(this.#redis.commands);
  }

  async start(roomId: string, { agent, id, at, ttlMs }: TypingStart): Promise<void> {
    await this.#run('start', roomId, [agent, id, at, ttlMs]);
  }

  /** Who was typing: this agent, or of all in the room. */
  async stop(roomId: string, agent = ''): Promise<readonly string[]> {
    return ((await this.#run('stop', roomId, [agent])) ?? []) as string[];
  }

  async look(roomId: string): Promise<readonly LastStart[]> {
    const known = ((await this.#run('look', roomId, [])) ?? []) as [string, string, string, string, number][];
    return known.map(([agent, id, at, ttl, leftMs]) => ({
      agent,
      id,
      at: Number(at),
      ttlMs: Number(ttl),
      leftMs,
    }));
  }

  async #run(
    step: keyof typeof BODIES,
    roomId: string,
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const key = this.#redis.key(`typing:${roomId}`);
    return await TYPING.run(this.#redis.commands, this.#clock, step, key, args).catch(() => undefined);
  }
}
