import type { Kysely } from 'kysely';
import type { PoolClient } from 'pg';
import type { SqlQuery, Tx } from '../database.ts';
import { LockTimeoutError, TransactionEndedError, TransactionFailedError } from '../errors.ts';
import { bridgeKysely } from '../kysely-bridge.ts';
import { sql } from '../sql.ts';
import type { TableChanges } from '../table-changes.ts';
import { sendBuilt, type SendOptions, sendQuery } from './postgres-reader.ts';

/** One transaction on one connection. Statements asked for at the same time are sent one after the other. */
export class PostgresTx implements Tx {
  readonly #client: PoolClient;
  readonly #changes: TableChanges;
  #wrote: Set<string> | undefined;
  readonly #hooks: (() => void)[] = [];
  /** What is to be done once the write function is through. */
  readonly lastSteps: (() => Promise<void>)[] = [];
  #kysely: Kysely<unknown> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  #failed = false;
  #failure: unknown;

  readonly #how: SendOptions;

  constructor(client: PoolClient, changes: TableChanges, how: SendOptions = {}) {
    this.#client = client;
    this.#how = how;
    this.#changes = changes;
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    this.#note(this.#changes.ofWritten(query.strings));
    return (await this.#send((client) => sendQuery(client, query, this.#how))).rows as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    this.#note(this.#changes.ofWritten(query.strings));
    return (await this.#send((client) => sendQuery(client, query, this.#how))).rows[0] as Row | undefined;
  }

  async run(query: SqlQuery): Promise<number> {
    this.#note(this.#changes.ofWritten(query.strings));
    return (await this.#send((client) => sendQuery(client, query, this.#how))).rowCount ?? 0;
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= bridgeKysely('postgres', (query) => {
      this.#note(this.#changes.ofBuilt(query.sql));
      return this.#send((client) => sendBuilt(client, query, this.#how));
    });
    return this.#kysely as Kysely<Tables>;
  }

  /** The watched tables it wrote to. */
  get wrote(): ReadonlySet<string> | undefined {
    return this.#wrote;
  }

  beforeCommit(step: () => Promise<void>): void {
    this.#assertUsable();
    this.lastSteps.push(step);
  }

  afterCommit(hook: () => void): void {
    this.#assertUsable();
    this.#hooks.push(hook);
  }

  /** The schema is part of the name: servers that share a database but not their tables do not wait for each other. */
  async lock(name: string, waitMs?: number): Promise<void> {
    if (waitMs !== undefined) return await this.#lockWithin(name, waitMs);
    await this.run(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || ${name}::text, 0))`,
    );
  }

  /** One statement sets the limit and takes the lock; the limit ends with the transaction. */
  async #lockWithin(name: string, waitMs: number): Promise<void> {
    try {
      await this.run(sql`
        SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || ${name}::text, 0))
        FROM set_config('lock_timeout', ${String(waitMs)}, true)`);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      this.#failure = new LockTimeoutError(error);
      throw this.#failure;
    }
  }

  /** Waits for statements the write function did not await, then hands over the hooks. */
  async end(): Promise<readonly (() => void)[]> {
    this.#ended = true;
    await this.#last;
    if (this.#failed) throw this.#failure;
    return this.#hooks;
  }

  async abandon(): Promise<void> {
    this.#ended = true;
    await this.#last;
  }

  async #send<T>(statement: (client: PoolClient) => Promise<T>): Promise<T> {
    this.#assertUsable();
    const turn = this.#last.then(() => {
      if (this.#failed) throw new TransactionFailedError(this.#failure);
      return statement(this.#client);
    });
    this.#last = turn.catch((error: unknown) => {
      if (this.#failed) return;
      this.#failed = true;
      this.#failure = error;
    });
    return await turn;
  }

  #note(tables: readonly string[]): void {
    for (const table of tables) (this.#wrote ??= new Set()).add(table);
  }

  #assertUsable(): void {
    if (this.#ended) throw new TransactionEndedError();
    if (this.#failed) throw new TransactionFailedError(this.#failure);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
}
