import { ColumnReader } from '../column-reader.ts';
import type { Database, DatabaseEvents, Reader, SqlQuery, WriteFunction } from '../database.ts';
import { SlowStatements } from '../slow-statements.ts';
import { TableChanges } from '../table-changes.ts';
import { SqliteConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import type { Kysely } from 'kysely';
import { DatabaseClosedError } from '../errors.ts';
import { bridgeKysely } from '../kysely-bridge.ts';

class SqliteReader extends ColumnReader implements Reader {
  readonly dialect = 'sqlite';
  readonly #connection: SqliteConnection;
  readonly #kysely: Kysely<unknown>;
  #closed = false;

  constructor(connection: SqliteConnection) {
    super();
    this.#connection = connection;
    this.#kysely = bridgeKysely('sqlite', async (query) => this.#open().execute(query));
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return this.#open().all(query) as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return this.#open().get(query) as Row | undefined;
  }

  kysely<Tables>(): Kysely<Tables> {
    return this.#kysely as Kysely<Tables>;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }

  #open(): SqliteConnection {
    if (this.#closed) throw new DatabaseClosedError();
    return this.#connection;
  }
}

export interface SqliteOptions extends DatabaseEvents {
  stallMs?: number;
}

export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly changes = new TableChanges();
  readonly slow = new SlowStatements();
  readonly file: string;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteReader;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;

  constructor(file: string, { onHookError = () => {}, stallMs }: SqliteOptions = {}) {
    this.file = file;
    this.#writer = SqliteConnection.openWriter(file, this.slow);
    this.#reader = new SqliteReader(SqliteConnection.openReader(file, this.slow));
    this.#commits = new GroupCommit(this.#writer, {
      changes: this.changes,
      onHookError,
      ...(stallMs !== undefined && { stallMs }),
    });
  }

  get read(): Reader {
    return this.#reader;
  }

  write<T>(fn: WriteFunction<T>): Promise<T> {
    return this.#commits.write(fn);
  }

  /** Copies the committed state to a new file while the database stays in use. */
  copyTo(file: string): void {
    this.#writer.prepare('VACUUM INTO ?').run(file);
  }

  close(): Promise<void> {
    this.#closing ??= this.#commits.close().then(() => {
      this.#reader.close();
      this.#writer.close();
    });
    return this.#closing;
  }
}
