import type { Kysely } from 'kysely';
import { ColumnReader } from '../column-reader.ts';
import type { SqlQuery, Tx } from '../database.ts';
import { TransactionEndedError, TransactionFailedError } from '../errors.ts';
import { bridgeKysely } from '../kysely-bridge.ts';
import type { TableChanges } from '../table-changes.ts';
import type { SqliteConnection } from './connection.ts';

/** One write's view of the shared transaction, usable until its write function settles. */
export class SqliteTx extends ColumnReader implements Tx {
  readonly dialect = 'sqlite';
  readonly #connection: SqliteConnection;
  readonly #changes: TableChanges;
  #wrote: Set<string> | undefined;
  #hooks: (() => void)[] | undefined;
  #steps: (() => Promise<void>)[] | undefined;
  #kysely: Kysely<unknown> | undefined;
  #ended = false;
  #failed = false;
  #failure: unknown;

  constructor(connection: SqliteConnection, changes: TableChanges) {
    super();
    this.#connection = connection;
    this.#changes = changes;
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    const connection = this.#usable();
    this.#note(this.#changes.ofWritten(query.strings));
    try {
      return connection.all(query) as Row[];
    } catch (error) {
      throw this.#fail(error);
    }
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    const connection = this.#usable();
    this.#note(this.#changes.ofWritten(query.strings));
    try {
      return connection.get(query) as Row | undefined;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  async run(query: SqlQuery): Promise<number> {
    const connection = this.#usable();
    this.#note(this.#changes.ofWritten(query.strings));
    try {
      return connection.run(query);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= bridgeKysely('sqlite', async (query) => {
      const connection = this.#usable();
      this.#note(this.#changes.ofBuilt(query.sql));
      try {
        return connection.execute(query);
      } catch (error) {
        throw this.#fail(error);
      }
    });
    return this.#kysely as Kysely<Tables>;
  }

  beforeCommit(step: () => Promise<void>): void {
    this.#usable();
    this.#steps ??= [];
    this.#steps.push(step);
  }

  afterCommit(hook: () => void): void {
    this.#usable();
    this.#hooks ??= [];
    this.#hooks.push(hook);
  }

  async lock(): Promise<void> {
    this.#usable();
  }

  /** What is to be done once the write function is through; undefined when there is nothing. */
  get lastSteps(): readonly (() => Promise<void>)[] | undefined {
    return this.#steps;
  }

  /** Called when the write function has settled. Throws when a statement failed, though its error was swallowed. */
  end(): readonly (() => void)[] | undefined {
    this.#ended = true;
    if (this.#failed) throw new TransactionFailedError(this.#failure);
    return this.#hooks;
  }

  /** The watched tables it wrote to. */
  get wrote(): ReadonlySet<string> | undefined {
    return this.#wrote;
  }

  abandon(): void {
    this.#ended = true;
  }

  #note(tables: readonly string[]): void {
    for (const table of tables) (this.#wrote ??= new Set()).add(table);
  }

  #usable(): SqliteConnection {
    if (this.#ended) throw new TransactionEndedError();
    if (this.#failed) throw new TransactionFailedError(this.#failure);
    return this.#connection;
  }

  /** A full disk makes SQLite drop the transaction itself: a later statement would then commit on its own. */
  #fail(error: unknown): unknown {
    this.#failed = true;
    this.#failure = error;
    return error;
  }
}
