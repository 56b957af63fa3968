import type { Pool } from 'undici';
import type { Clock, Timer } from '../clock.ts';
import { undici } from './undici.ts';

export interface OriginPoolsOptions {
  clock: Clock;
  connectionsPerOrigin: number;
  idleMs: number;
  connectorFor: (origin: URL) => Pool.Options['connect'];
}

/** One connection pool per origin, thrown away when the origin was not called for a while. */
export class OriginPools {
  readonly #options: OriginPoolsOptions;
  readonly #pools = new Map<string, OriginPool>();
  #sweep: Timer | undefined;
  #closed = false;

  constructor(options: OriginPoolsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Lends the pool of the URL's origin for as long as `fn` takes. Callers with different names have pools of their own. */
  async with<T>(url: URL, name: string | undefined, fn: (pool: Pool) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('the outbound client is closed');
    const key = `${url.origin} ${name ?? ''}`;
    const entry = this.#pools.get(key) ?? this.#open(key, url);
    entry.active += 1;
    try {
      return await fn(entry.pool);
    } finally {
      entry.active -= 1;
      entry.lastUsed = this.#options.clock.monotonic();
      this.#sweepLater();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sweep?.cancel();
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(({ pool }) => pool.destroy()));
  }

  #open(key: string, url: URL): OriginPool {
    const { connectionsPerOrigin, idleMs, connectorFor, clock } = this.#options;
    const pool = new (undici().Pool)(url.origin, {
      connections: connectionsPerOrigin,
      pipelining: 1,
      connect: connectorFor(url),
      // The client has one limit for the whole exchange; these would only cut long ones short.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: Math.min(idleMs, 4000),
    });
    const entry = { pool, active: 0, lastUsed: clock.monotonic() };
    this.#pools.set(key, entry);
    return entry;
  }

  #sweepLater(): void {
    if (this.#closed) return;
    this.#sweep ??= this.#options.clock.after(this.#options.idleMs, () => {
      this.#sweep = undefined;
      this.#dropIdle();
      if (this.#pools.size > 0) this.#sweepLater();
    });
  }

  #dropIdle(): void {
    const before = this.#options.clock.monotonic() - this.#options.idleMs;
    for (const [key, { pool, active, lastUsed }] of this.#pools) {
      if (active > 0 || lastUsed > before) continue;
      this.#pools.delete(key);
      // Nothing is under way in it, and a socket that fails to close is no one's loss.
      pool.destroy().catch(() => {});
    }
  }
}

interface OriginPool {
  readonly pool: Pool;
  active: number;
  lastUsed: number;
}
