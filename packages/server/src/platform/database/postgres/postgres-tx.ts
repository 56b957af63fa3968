import type { Kysely } from 'kysely';
import type { PoolClient } from 'pg';
import type { SqlQuery, Tx } from '../database.ts';
import { TransactionEndedError, TransactionFailedError } from '../errors.ts';
import { bridgeKysely } from '../kysely-bridge.ts';
import { sql } from '../sql.ts';
import { sendBuilt, sendQuery } from './postgres-reader.ts';

/** One transaction on one connection. Statements asked for at the same time are sent one after the other. */
export class PostgresTx implements Tx {
  readonly #client: PoolClient;
  readonly #hooks: (() => void)[] = [];
  #kysely: Kysely<unknown> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  #failed = false;
  #failure: unknown;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return (await this.#send((client) => sendQuery(client, query))).rows as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return (await this.#send((client) => sendQuery(client, query))).rows[0] as Row | undefined;
  }

  async run(query: SqlQuery): Promise<number> {
    return (await this.#send((client) => sendQuery(client, query))).rowCount ?? 0;
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= bridgeKysely('postgres', (query) => this.#send((client) => sendBuilt(client, query)));
    return this.#kysely as Kysely<Tables>;
  }

  afterCommit(hook: () => void): void {
    this.#assertUsable();
    this.#hooks.push(hook);
  }

  /** The schema is part of the name: servers that share a database but not their tables do not wait for each other. */
  async lock(name: string): Promise<void> {
    await this.run(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || ${name}::text, 0))`,
    );
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

  #assertUsable(): void {
    if (this.#ended) throw new TransactionEndedError();
    if (this.#failed) throw new TransactionFailedError(this.#failure);
  }
}
