import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { Client } from 'pg';
import type { Timer } from '../clock.ts';
import { DatabaseInUseError, DatabaseUnusableError } from '../database/errors.ts';
import { errorFields } from '../log.ts';
import type { Parts } from '../parts.ts';

export interface NodeLockOptions extends Pick<Parts, 'log' | 'clock'> {
  /** A connection that lasts: not through a pooler that lends connections by transaction. */
  readonly url: string;
  /** With others that share, or alone. */
  readonly shared: boolean;
}

/** Of this schema alone: a database may hold several stores. */
const LIFE = "hashtextextended('parley life ' || current_schema() || ' ' || $1::text, 0)";

class NoSchemaError extends Error {
  override readonly name = 'NoSchemaError';
  constructor() {
    super('permission denied for schemas of its search_path');
  }
}

const ASK_EVERY_MS = 200;
/** A server that was just stopped or killed still holds its place until the database has noticed. */
const WAIT_MS = 5_000;
const RECONNECT_MS = 500;
/** A connection that was cut without a word says nothing: these tell that it is gone. */
const CONNECT_MS = 5_000;
const ANSWER_MS = 3_000;
const KEEP_ALIVE_MS = 10_000;
/**
 * Its name, and, in seconds, how soon the database finds out that the machine of this connection is gone, which took its leave of nobody:
 * by then its place is free.
 */
const INTRODUCTION = `SELECT set_config('application_name', $1, false), set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`;
/** Connections that this process had before, as long as the database takes them for living. */
const END_EARLIER = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid()`;
const FAREWELL_MS = 1_000;

/** The connection that holds it. */
interface Place {
  readonly client: Client;
  readonly socket: Socket;
  readonly takenAt: number;
  /** The life of this node is proven on it, for as long as it lasts. */
  proven: boolean;
  /** What was asked last: one thing after the other. */
  last: Promise<unknown>;
}

/**
 * Who may use the store at the same time: one server, or any number that share a Redis. An advisory lock of a connection of its own,
 * so that it ends with the process, however that ends.
 */
export class NodeLock {
  /** Settled when another has the place for itself: two must not work on one store. */
  readonly taken: Promise<void>;
  readonly #options: NodeLockOptions;
  /** Connections of this process, and of no other. */
  readonly #name = `parley ${randomUUID()}`;
  #tell = (): void => {};
  #place: Place | undefined;
  #retry: Timer | undefined;
  #closed = false;
  #node: string | undefined;

  constructor(options: NodeLockOptions) {
    this.#options = options;
    this.taken = new Promise((resolve) => (this.#tell = resolve));
  }

  async take(): Promise<void> {
    for (let waited = 0; ; waited += ASK_EVERY_MS) {
      if ((await this.#take()) === 'held') return;
      if (waited >= WAIT_MS) throw new DatabaseInUseError(this.#options.shared);
      await new Promise<void>((resolve) => void setTimeout(resolve, ASK_EVERY_MS));
    }
  }

  /** Proves that the node of this name lives, for as long as its connection does. */
  async prove(node: string): Promise<void> {
    this.#node = node;
    await this.confirm();
  }

  /** Looks whether the place is still held. One whose connection no longer answers is given up, and taken anew. */
  async confirm(): Promise<void> {
    const place = this.#place;
    if (!place) return;
    if (place.proven || this.#node === undefined) await this.#ask(place, 'SELECT 1');
    else await this.#proveOn(place);
  }

  /** True when the connection that proved this node's life has ended; false also when that cannot be told now. */
  async isGone(node: string): Promise<boolean> {
    if (!this.#place || node === this.#node) return false;
    // Shared, so that several may ask at once, and given back at once.
    const rows = await this.#ask<{ gone: boolean }>(
      this.#place,
      `SELECT CASE WHEN pg_try_advisory_lock_shared(${LIFE}) THEN pg_advisory_unlock_shared(${LIFE}) ELSE false END AS gone`,
      [node],
    );
    return rows?.[0]?.gone === true;
  }

  get held(): boolean {
    return this.#place !== undefined;
  }

  /** For how long it has been held without a break. */
  get heldForMs(): number {
    return this.#place ? this.#options.clock.monotonic() - this.#place.takenAt : 0;
  }

  async release(): Promise<void> {
    this.#closed = true;
    this.#retry?.cancel();
    const place = this.#place;
    this.#place = undefined;
    if (place) await farewell(place);
  }

  async #take(): Promise<'held' | 'not yet' | 'by another'> {
    const { url, shared, clock } = this.#options;
    const socket = new Socket();
    const client = new Client({
      connectionString: url,
      stream: () => socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(INTRODUCTION, [this.#name]);
      const { rowCount: earlier } = await client.query(END_EARLIER, [this.#name]);
      const asked = shared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
      // Of this schema alone: a database may hold several stores.
      const { rows } = await client.query<{ held: boolean | null }>(
        `SELECT ${asked}(hashtextextended('parley node ' || current_schema(), 0)) AS held`,
      );
      if (rows[0]?.held === null)
        throw new DatabaseUnusableError('the database of database_url', new NoSchemaError());
      const place = {
        client,
        socket,
        takenAt: clock.monotonic(),
        proven: false,
        last: Promise.resolve(),
      };
      if (rows[0]?.held !== true || this.#closed) {
        await farewell(place);
        return earlier === 0 ? 'by another' : 'not yet';
      }
      this.#place = place;
      client.once('end', () => this.#lost(place));
      if (this.#node !== undefined) await this.#proveOn(place);
      return 'held';
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  /**
   * What held it before may not be over for the database yet, and another node may be asking about this one at that moment: it is
   * tried until it holds, or the others would take this node for gone.
   */
  async #proveOn(place: Place): Promise<void> {
    const rows = await this.#ask<{ proven: boolean }>(
      place,
      `SELECT pg_try_advisory_lock(${LIFE}) AS proven`,
      [this.#node],
    );
    place.proven = rows?.[0]?.proven === true;
    if (place.proven || this.#place !== place) return;
    this.#retry?.cancel();
    this.#retry = this.#options.clock.after(RECONNECT_MS, () => {
      if (!place.proven && this.#place === place) void this.#proveOn(place);
    });
  }

  /** Undefined when there was no answer: the place is given up then. */
  async #ask<Row extends object>(
    place: Place,
    text: string,
    values: unknown[] = [],
  ): Promise<Row[] | undefined> {
    const asked = place.last.then(() => place.client.query<Row>(text, values));
    place.last = asked.catch(() => {});
    try {
      return (await asked).rows;
    } catch (error) {
      if (this.#place === place) this.#options.log.warn('node_place_lost', errorFields(error));
      place.socket.destroy();
      this.#lost(place);
      return undefined;
    }
  }

  /** The database went away, and with it our place: it is taken again as soon as that is possible. */
  #lost(place: Place): void {
    if (this.#place !== place) return;
    this.#place = undefined;
    this.#again();
  }

  #again(): void {
    if (this.#closed) return;
    const { clock, log, shared } = this.#options;
    this.#retry?.cancel();
    this.#retry = clock.after(RECONNECT_MS, () => {
      this.#take().then(
        (taken) => {
          if (this.#closed) return;
          if (taken === 'not yet') this.#again();
          if (taken !== 'by another') return;
          log.error('node_place_taken', { reason: new DatabaseInUseError(shared).message });
          this.#tell();
        },
        (error: unknown) => {
          log.warn('node_place_lost', errorFields(error));
          this.#again();
        },
      );
    });
  }
}

/** One that does not hear it is not waited for. */
async function farewell({ client, socket }: Pick<Place, 'client' | 'socket'>): Promise<void> {
  const cut = setTimeout(() => socket.destroy(), FAREWELL_MS);
  await client.end();
  clearTimeout(cut);
}
