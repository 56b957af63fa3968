import { Client } from 'pg';
import type { Clock, Timer } from '../clock.ts';
import { errorFields, type Log } from '../log.ts';

export interface NodeLockOptions {
  /** A connection that lasts: not through a pooler that lends connections by transaction. */
  readonly url: string;
  /** With others that share, or alone. */
  readonly shared: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

class OtherNodeError extends Error {
  override readonly name = 'OtherNodeError';
  constructor(shared: boolean) {
    super(
      shared
        ? 'another server uses this database without redis_url: stop it, and give it the same PARLEY_REDIS_URL before it starts again'
        : 'another server uses this database: several nodes need PARLEY_REDIS_URL=redis://… on each of them (hints, limits and ' +
            'sealed channels go through it); with one node, stop the other first',
    );
  }
}

/** Of this schema alone: a database may hold several stores. */
const LIFE = "hashtextextended('parley life ' || current_schema() || ' ' || $1::text, 0)";

const ASK_EVERY_MS = 200;
/** A server that was just stopped or killed still holds its place until the database has noticed. */
const WAIT_MS = 5_000;
const RECONNECT_MS = 500;

/**
 * Who may use the store at the same time: one server, or any number that share a Redis. An advisory lock of a connection of its own,
 * so that it ends with the process, however that ends.
 */
export class NodeLock {
  readonly #options: NodeLockOptions;
  #client: Client | undefined;
  #retry: Timer | undefined;
  #closed = false;
  #node: string | undefined;

  constructor(options: NodeLockOptions) {
    this.#options = options;
  }

  async take(): Promise<void> {
    for (let waited = 0; ; waited += ASK_EVERY_MS) {
      if (await this.#ask()) return;
      if (waited >= WAIT_MS) throw new OtherNodeError(this.#options.shared);
      await new Promise<void>((resolve) => void setTimeout(resolve, ASK_EVERY_MS));
    }
  }

  /** Proves that the node of this name lives, for as long as its connection does. */
  async prove(node: string): Promise<void> {
    this.#node = node;
    await this.#proveOn(this.#client);
  }

  /** True when the connection that proved this node's life has ended; false also when that cannot be told now. */
  async isGone(node: string): Promise<boolean> {
    if (!this.#client || node === this.#node) return false;
    const { rows } = await this.#client.query<{ gone: boolean }>(
      `SELECT pg_try_advisory_lock(${LIFE}) AS gone`,
      [node],
    );
    if (rows[0]?.gone !== true) return false;
    await this.#client.query(`SELECT pg_advisory_unlock(${LIFE})`, [node]);
    return true;
  }

  get held(): boolean {
    return this.#client !== undefined;
  }

  async release(): Promise<void> {
    this.#closed = true;
    this.#retry?.cancel();
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  async #ask(): Promise<boolean> {
    const client = new Client({ connectionString: this.#options.url, keepAlive: true });
    client.on('error', () => {});
    await client.connect();
    const asked = this.#options.shared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    // Of this schema alone: a database may hold several stores.
    const { rows } = await client.query<{ held: boolean }>(
      `SELECT ${asked}(hashtextextended('parley node ' || current_schema(), 0)) AS held`,
    );
    if (rows[0]?.held !== true || this.#closed) {
      await client.end();
      return false;
    }
    client.once('end', () => this.#lost(client));
    await this.#proveOn(client);
    this.#client = client;
    return true;
  }

  async #proveOn(client: Client | undefined): Promise<void> {
    if (this.#node !== undefined) await client?.query(`SELECT pg_try_advisory_lock(${LIFE})`, [this.#node]);
  }

  /** The database went away, and with it our place: it is taken again as soon as that is possible. */
  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#again();
  }

  #again(): void {
    if (this.#closed) return;
    const { clock, log, shared } = this.#options;
    this.#retry = clock.after(RECONNECT_MS, () => {
      this.#ask().then(
        (held) => {
          if (held || this.#closed) return;
          log.error('node_place_taken', { reason: new OtherNodeError(shared).message });
          this.#again();
        },
        (error: unknown) => {
          log.warn('node_place_lost', errorFields(error));
          this.#again();
        },
      );
    });
  }
}
