import { Cluster, type Redis } from 'ioredis';
import { type Clock, systemClock, type Timer } from '../clock.ts';
import { messageOf } from '../error-words.ts';
import { errorFields, type Log } from '../log.ts';
import type { Parts } from '../parts.ts';
import { within } from '../within.ts';
import { heardUntilNow, linksOf, type RedisConnection, redisConnection } from './connection.ts';

export interface SharedRedisOptions extends Pick<Parts, 'log' | 'metrics' | 'health'> {
  readonly url: string;
  /** Keys of this cluster begin with it. */
  readonly name: string;
  /** As the network goes by, but where a test stops it; not the clock that tests move. */
  readonly realTime?: Clock;
}

/** Several times what one attempt takes. */
const OPEN_MS = 8_000;
const PING_EVERY_MS = 1_000;
/** One that has not answered for this long is as good as away, whatever its socket says. */
const SILENT_MS = 1_000;
/** Waited for bit by bit: while this process itself stands still, only one of them passes. */
const LOOKS = 4;

class RedisUnreachableError extends Error {
  override readonly name = 'RedisUnreachableError';
  constructor(cause: unknown) {
    super(`the Redis of redis_url cannot be reached: ${messageOf(cause)}`, { cause });
  }
}

/** Or is not ready to answer for longer, as one that loads what it holds. */
class SilentRedisError extends Error {
  override readonly name = 'SilentRedisError';
  constructor() {
    super(`no answer within ${SILENT_MS} ms`);
  }
}

const ALL_SENTINELS = /^All sentinels are unreachable/;

/** The Redis that the nodes of one store share. Away, nothing durable is missed: it is said in `/health` and waited for. */
export class SharedRedis {
  readonly commands: RedisConnection;
  readonly listening: RedisConnection;
  readonly #prefix: string;
  readonly #log: Log;
  readonly #clock: Clock;
  #next: Timer | undefined;
  #up = true;
  #closed = false;
  /** What went wrong last. */
  #trouble: unknown = new Error('the connection was closed');

  private constructor({ url, name, log, health, metrics, realTime = systemClock }: SharedRedisOptions) {
    this.#prefix = `parley:${name}`;
    this.#log = log;
    this.#clock = realTime;
    this.commands = redisConnection(url);
    this.listening = redisConnection(url);
    this.#watch();
    health.contribute(() => ({ redis: this.#up ? 'ok' : 'away' }));
    metrics.gauge('parley_redis_up', 'Whether the Redis of the cluster answers', () => (this.#up ? 1 : 0));
  }

  /** A Redis that is not there when a node starts is a wrong setting more often than a bad moment. */
  static async open(options: SharedRedisOptions): Promise<SharedRedis> {
    const redis = new SharedRedis(options);
    const connecting = Promise.all([redis.commands.connect(), redis.listening.connect()]).then(
      () => true,
      () => false,
    );
    // Sentinels are asked without end.
    if (!(await within(systemClock, OPEN_MS, connecting, false))) {
      await redis.close();
      throw new RedisUnreachableError(redis.#trouble);
    }
    redis.#look();
    return redis;
  }

  get up(): boolean {
    return this.#up;
  }

  key(name: string): string {
    return `${this.#prefix}:${name}`;
  }

  /** Resolves when all that was told before has been heard. */
  heardUntilNow(): Promise<unknown> {
    return heardUntilNow(this.listening, this.key('alive'));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#next?.cancel();
    this.commands.disconnect();
    this.listening.disconnect();
  }

  /**
   * A machine that vanished or a process that hangs closes no socket: callers would wait for it without end. So it is asked every
   * second, and a connection that stays silent is cut, which refuses what waits and begins the attempts to connect again; so is one on
   * which nobody answered the first words. By real time, as the network is: a test that moves the clock does not make it slow.
   */
  #look(greeting: ReadonlySet<Redis> = new Set()): void {
    this.#next = this.#clock.after(PING_EVERY_MS, () => {
      const links = [this.commands, this.listening].flatMap(linksOf);
      const asked = links.filter(({ status }) => status === 'ready').map((link) => this.#ask(link));
      if (this.listening instanceof Cluster && this.listening.status === 'ready')
        asked.push(this.#askListener(this.listening));
      const connected = links.filter(({ status }) => status === 'connect');
      for (const link of connected) if (greeting.has(link)) this.#cut(link);
      void Promise.all(asked).then(() => {
        if (!this.#closed) this.#look(new Set(connected));
      });
    });
  }

  async #ask(link: Redis): Promise<void> {
    if (await this.#isSilent(link.ping())) this.#cut(link);
  }

  /** Who listens to a cluster does so over a connection that it picks itself, and picks another when it is cut. */
  async #askListener(cluster: Cluster): Promise<void> {
    if (!(await this.#isSilent(this.heardUntilNow()))) return;
    this.#trouble = new SilentRedisError();
    cluster.disconnect(true);
  }

  #cut(link: Redis): void {
    this.#trouble = new SilentRedisError();
    // At once: who is asked to end it would be waited for again.
    link.stream.destroy();
  }

  async #isSilent(question: Promise<unknown>): Promise<boolean> {
    const answered = question.then(
      () => true,
      () => true,
    );
    for (let look = 0; look < LOOKS; look++) {
      if (await within(this.#clock, SILENT_MS / LOOKS, answered, false)) return false;
    }
    return !this.#closed;
  }

  /** Said once when it goes and once when it is back, however often it is tried in between. */
  #watch(): void {
    for (const connection of [this.commands, this.listening]) {
      // Each of those who keep something there hears that it is back.
      connection.setMaxListeners(0);
      connection.on('error', (error: unknown) => {
        // Why each of them was of no use says more.
        if (!ALL_SENTINELS.test(messageOf(error))) this.#trouble = error;
      });
      connection.on('sentinelError', (error: unknown) => (this.#trouble = error));
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
