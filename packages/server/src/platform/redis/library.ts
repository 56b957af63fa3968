import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../clock.ts';
import { StoreClock } from '../cluster/store-clock.ts';
import type { RedisConnection } from './connection.ts';

class RedisTooOldError extends Error {
  override readonly name = 'RedisTooOldError';
  constructor(cause: unknown) {
    super('the Redis of redis_url is too old: 7.0 or later is needed, which knows FUNCTION', { cause });
  }
}

/** Opens every function. The time is that of Redis, the same for all nodes; a test's clock stands in for it. */
const OPENING = `
local KEYS, ARGV, now
local function begin(keys, args)
  KEYS, ARGV = keys, args
  now = tonumber(args[1])
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
end
`;

export interface RedisLibraryOptions<Name extends string> {
  readonly name: string;
  /** What the functions stand on. Locals outlive a call: what belongs to one call has to be set by each. */
  readonly shared?: string;
  /** What each begins with. */
  readonly each?: string;
  /** In each `now` is the time in milliseconds, `KEYS[1]` the key, and the arguments begin with `ARGV[2]`. */
  readonly functions: Readonly<Record<Name, string>>;
  /** Those that make room, and so run in a Redis that has none left. */
  readonly freeing?: readonly NoInfer<Name>[];
}

/** Enough that two versions never share one. */
const VERSION_LENGTH = 12;

/** Function, number of keys, key, time, arguments. */
type Words = readonly [string, string, string, string | number, ...(string | number)[]];

/**
 * Steps that Redis does as a whole, each a function of one library. The names carry a hash of the text, so nodes of different versions
 * never run each other's. That of a version nobody runs any more stays until Redis restarts: one for each version, as settings are arguments
 * and no part of the text. What the functions keep is shared by the versions: keys and fields may be added, none may change its meaning.
 */
export class RedisLibrary<Name extends string> {
  readonly #text: string;
  readonly #names: Readonly<Record<Name, string>>;
  readonly #loading = new WeakMap<RedisConnection, Promise<void>>();

  constructor({ name, shared = '', each = '', functions, freeing = [] }: RedisLibraryOptions<Name>) {
    const code = `${OPENING}${shared}\n`;
    const bodies = Object.entries<string>(functions);
    const version = createHash('sha256')
      .update(JSON.stringify([code, each, bodies, freeing]))
      .digest('hex');
    const library = `parley_${name}_${version.slice(0, VERSION_LENGTH)}`;
    const full = bodies.map(([called]) => [called, `${library}_${called}`]);
    this.#names = Object.fromEntries(full) as Record<Name, string>;
    const registered = bodies.map(([called, body]) => {
      const callback = `function(keys, args)\nbegin(keys, args)\n${each}\n${body}\nend`;
      const flags = (freeing as readonly string[]).includes(called) ? `'allow-oom'` : '';
      return `redis.register_function{ function_name = '${library}_${called}', flags = { ${flags} }, callback = ${callback} }\n`;
    });
    this.#text = `#!lua name=${library}\n${code}${registered.join('')}`;
  }

  /** Tells it to Redis, and to every master of a cluster. Whoever else does so at the same time tells the same. */
  async load(connection: RedisConnection): Promise<void> {
    const loading = this.#loading.get(connection) ?? this.#load(connection);
    this.#loading.set(connection, loading);
    try {
      await loading;
    } finally {
      this.#loading.delete(connection);
    }
  }

  /** On the way of every request, so it takes no promise more than it needs. */
  run(
    connection: RedisConnection,
    clock: Clock,
    name: Name,
    key: string,
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const now = clock === systemClock || clock instanceof StoreClock ? '' : clock.now();
    const words: Words = [this.#names[name], '1', key, now, ...args];
    return connection.fcall(...words).catch((error: unknown) => this.#again(error, connection, words));
  }

  async #again(error: unknown, connection: RedisConnection, words: Words): Promise<unknown> {
    if (!isForgotten(error)) throw error;
    await this.load(connection);
    return await connection.fcall(...words);
  }

  async #load(connection: RedisConnection): Promise<void> {
    const places = 'nodes' in connection ? connection.nodes('master') : [connection];
    try {
      await Promise.all(places.map((place) => place.function('LOAD', 'REPLACE', this.#text)));
    } catch (error) {
      if (isUnknownCommand(error)) throw new RedisTooOldError(error);
      throw error;
    }
  }
}

/** A restart, another master, or FUNCTION FLUSH. */
const isForgotten = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('ERR Function not found');

const isUnknownCommand = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('ERR unknown command');
