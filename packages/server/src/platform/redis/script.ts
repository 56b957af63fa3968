import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../clock.ts';
import { StoreClock } from '../cluster/store-clock.ts';
import type { RedisConnection } from './connection.ts';

/** Begins every script that needs the time: that of Redis, the same for all nodes. A test's clock stands in for it. */
const NOW = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * A step that Redis does as a whole. It is known there by its hash, so nodes of different versions never run each other's, and
 * a Redis that has forgotten it (a restart, another master) is told it again by the first call.
 */
export class RedisScript {
  readonly #source: string;
  readonly #sha: string;

  constructor(source: string) {
    this.#source = NOW + source;
    this.#sha = createHash('sha1').update(this.#source).digest('hex');
  }

  /** In the script `now` is the time in milliseconds, and the arguments begin with `ARGV[2]`. */
  async run(
    connection: RedisConnection,
    clock: Clock,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const now = clock === systemClock || clock instanceof StoreClock ? '' : clock.now();
    try {
      return await connection.evalsha(this.#sha, keys.length, ...keys, now, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await connection.eval(this.#source, keys.length, ...keys, now, ...args);
    }
  }
}
