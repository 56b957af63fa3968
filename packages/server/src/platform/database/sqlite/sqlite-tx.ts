import type { CompiledQuery, QueryResult } from 'kysely';
import { BaseTx } from '../base-tx.ts';
import type { SqlQuery } from '../database.ts';
import { TransactionFailedError } from '../errors.ts';
import type { TableChanges } from '../table-changes.ts';
import type { SqliteConnection } from './connection.ts';

/** One write's view of the shared transaction, usable until its write function settles. */
export class SqliteTx extends BaseTx {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection, changes: TableChanges) {
    super('sqlite', changes);
    this.#connection = connection;
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return this.#ask(this.changes.ofWritten(query.strings), (connection) => connection.all(query) as Row[]);
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return this.#ask(this.changes.ofWritten(query.strings), (connection) => connection.get(query) as Row);
  }

  async run(query: SqlQuery): Promise<number> {
    return this.#ask(this.changes.ofWritten(query.strings), (connection) => connection.run(query));
  }

  async lock(): Promise<void> {
    this.assertUsable();
  }

  async takeTime(): Promise<void> {
    this.assertUsable();
  }

  /** Called when the write function has settled. Throws when a statement failed, though its error was swallowed. */
  end(): readonly (() => void)[] {
    this.ended = true;
    if (this.failed) throw new TransactionFailedError(this.failure);
    return this.hooks;
  }

  abandon(): void {
    this.ended = true;
  }

  protected async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#ask(this.changes.ofBuilt(query.sql), (connection) => connection.execute(query));
  }

  /** A full disk makes SQLite drop the transaction itself: after any failure a later statement would commit on its own. */
  #ask<T>(tables: readonly string[], statement: (connection: SqliteConnection) => T): T {
    this.assertUsable();
    this.note(tables);
    try {
      return statement(this.#connection);
    } catch (error) {
      this.failed = true;
      this.failure = error;
      throw error;
    }
  }
}
