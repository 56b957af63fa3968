import type { Eventually } from '../eventually.ts';
import { errorFields } from '../log.ts';
import type { SharedRedis } from '../redis/shared-redis.ts';
import type { Parts } from '../parts.ts';
import { HOUR, MINUTE } from '../units.ts';
import { LIMITS } from './library.ts';
import type { Limiter, LimitVerdict, MemoryLimiter, Standing } from './limiter.ts';
import { SharedSlots } from './shared-slots.ts';
import type { Slots } from './slots.ts';

export interface SharedLimitsOptions extends Pick<Parts, 'log' | 'clock' | 'metrics' | 'health'> {
  readonly redis: SharedRedis;
  /** This node, as no other calls itself. */
  readonly node: string;
  /** The other nodes, as far as was last seen. */
  readonly others: () => readonly string[];
}

/** A kind of limiter that counts in Redis. */
export interface SharedKind {
  readonly counted: 'bucket' | 'window';
  /** What Redis is told of the rule. */
  readonly rule: readonly number[];
  readonly verdict: (reply: unknown, cost: number) => LimitVerdict;
  readonly standing?: (reply: unknown) => Standing;
  /** One in memory that allows the share of one among so many nodes. */
  readonly among: (nodes: number) => MemoryLimiter;
}

const QUIET_MS = 10_000;

/**
 * Limits that hold over all nodes. While Redis cannot be asked each node counts by itself, in memory, and allows its share; that is
 * said in `/health`, in the metrics and once in the log.
 */
export class SharedLimits {
  readonly #options: SharedLimitsOptions;
  #alone = false;
  #aloneDecisions = 0;
  #saidAt = Number.NEGATIVE_INFINITY;
  #troubledAt = Number.NEGATIVE_INFINITY;

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
    const { health, metrics } = options;
    health.contribute(() => ({ limits: this.#alone ? 'per_node' : 'shared' }));
    metrics.gauge('parley_limits_shared', 'Whether limits are counted over all nodes now', () =>
      this.#alone ? 0 : 1,
    );
    metrics.keptCounter('parley_limits_per_node_total', 'Decisions a node made by its own count', () => [
      { value: this.#aloneDecisions },
    ]);
  }

  /** What a node counted by itself is dropped an hour after that was over: no window is longer. */
  limiter(name: string, kind: SharedKind): Limiter {
    const { redis, clock, others } = this.#options;
    let own: { readonly among: number; readonly limiter: MemoryLimiter; usedAt: number } | undefined;
    const alone = () => {
      const among = others().length + 1;
      const usedAt = clock.monotonic();
      if (own?.among !== among) own = { among, limiter: kind.among(among), usedAt };
      own.usedAt = usedAt;
      return own.limiter;
    };
    const ask = (mode: string, key: string, cost: number): Promise<unknown> => {
      const args = [mode, cost, ...kind.rule];
      return LIMITS.run(redis.commands, clock, kind.counted, redis.key(`limit:${name}:${key}`), args);
    };
    const decide = async <Answer>(
      shared: () => Promise<Answer>,
      byItself: () => Eventually<Answer>,
    ): Promise<Answer> => {
      try {
        const answer = await shared();
        this.#asked();
        if (own && clock.monotonic() - own.usedAt > HOUR) own = undefined;
        return answer;
      } catch (error) {
        this.#asked(error);
        return await byItself();
      }
    };
    const asking =
      (mode: 'take' | 'peek') =>
      (key: string, cost = 1): Promise<LimitVerdict> =>
        decide(
          async () => kind.verdict(await ask(mode, key, cost), cost),
          () => alone()[mode](key, cost),
        );
    const { standing } = kind;
    return {
      take: asking('take'),
      peek: asking('peek'),
      ...(standing && {
        standing: (key: string) =>
          decide<Standing | undefined>(
            async () => standing(await ask('peek', key, 0)),
            () => alone().standing?.(key),
          ),
      }),
    };
  }

  slots(name: string, limit: number): Slots {
    return new SharedSlots({ ...this.#options, name, limit, asked: (trouble) => this.#asked(trouble) });
  }

  #asked(trouble?: unknown): void {
    if (trouble !== undefined) {
      if (!this.#alone) this.#say(trouble);
      this.#aloneDecisions += 1;
      this.#troubledAt = this.#options.clock.monotonic();
    }
    this.#alone = trouble !== undefined;
  }

  /** Of a Redis Cluster some may answer and some not, turn by turn: that is one trouble, until all did for a while. */
  #say(trouble: unknown): void {
    const { clock, log } = this.#options;
    const now = clock.monotonic();
    if (now - this.#saidAt < MINUTE && now - this.#troubledAt < QUIET_MS) return;
    this.#saidAt = now;
    log.warn('limits_per_node', errorFields(trouble));
  }
}
