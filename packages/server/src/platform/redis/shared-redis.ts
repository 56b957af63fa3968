import type { Clock } from '../clock.ts';
import type { Health } from '../health.ts';
import { errorFields, type Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type RedisConnection, redisConnection } from './connection.ts';

export interface SharedRedisOptions {
  readonly url: string;
  /** Keys of this cluster begin with it. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

class RedisUnreachableError extends Error {
  override readonly name = 'RedisUnreachableError';
  constructor(cause: unknown) {
    super(
      `the Redis of redis_url cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

/** The Redis that the nodes of one store share. Away, nothing durable is missed: it is said in `/health` and waited for. */
export class SharedRedis {
  readonly commands: RedisConnection;
  readonly listening: RedisConnection;
  readonly #prefix: string;
  readonly #log: Log;
  #up = true;
  #closed = false;
  /** What went wrong last. */
  #trouble: unknown = new Error('the connection was closed');

  private constructor({ url, name, log, health, metrics }: SharedRedisOptions) {
    this.#prefix = `parley:${name}`;
    this.#log = log;
    this.commands = redisConnection(url);
    this.listening = redisConnection(url);
    this.#watch();
    health.contribute(() => ({ redis: this.#up ? 'ok' : 'away' }));
    metrics.gauge('parley_redis_up', 'Whether the Redis of the cluster answers', () => (this.#up ? 1 : 0));
  }

  /** A Redis that is not there when a node starts is a wrong setting more often than a bad moment. */
  static async open(options: SharedRedisOptions): Promise<SharedRedis> {
    const redis = new SharedRedis(options);
    try {
      await Promise.all([redis.commands.connect(), redis.listening.connect()]);
      return redis;
    } catch {
      await redis.close();
      throw new RedisUnreachableError(redis.#trouble);
    }
  }

  get up(): boolean {
    return this.#up;
  }

  key(name: string): string {
    return `${this.#prefix}:${name}`;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.commands.disconnect();
    this.listening.disconnect();
  }

  /** Said once when it goes and once when it is back, however often it is tried in between. */
  #watch(): void {
    for (const connection of [this.commands, this.listening]) {
      connection.on('error', (error: unknown) => (this.#trouble = error));
      connection.on('close', () => {
        if (this.#up && !this.#closed) this.#log.warn('redis_away', errorFields(this.#trouble));
        this.#up = false;
      });
      connection.on('ready', () => {
        if (this.commands.status !== 'ready' || this.listening.status !== 'ready') return;
        if (!this.#up) this.#log.info('redis_back');
        this.#up = true;
      });
    }
  }
}
