import type { CompiledQuery, QueryResult } from 'kysely';
import { BaseReader } from '../base-reader.ts';
import type { Database, DatabaseEvents, SqlQuery, WriteFunction } from '../database.ts';
import { DatabaseClosedError } from '../errors.ts';
import { SlowStatements } from '../slow-statements.ts';
import { TableChanges } from '../table-changes.ts';
import { SqliteConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';

class SqliteReader extends BaseReader {
  readonly #connection: SqliteConnection;
  #closed = false;

  constructor(connection: SqliteConnection) {
    super('sqlite');
    this.#connection = connection;
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return this.#open().all(query) as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return this.#open().get(query) as Row | undefined;
  }

  protected async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#open().execute(query);
  }

  close(): void {
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
  readonly read: SqliteReader;
  readonly changes = new TableChanges();
  readonly slow = new SlowStatements();
  readonly file: string;
  readonly #writer: SqliteConnection;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;

  constructor(file: string, { onHookError = () => {}, stallMs }: SqliteOptions = {}) {
    this.file = file;
    this.#writer = SqliteConnection.openWriter(file, this.slow);
    this.read = new SqliteReader(SqliteConnection.openReader(file, this.slow));
    this.#commits = new GroupCommit(this.#writer, { changes: this.changes, onHookError, stallMs });
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
      this.read.close();
      this.#writer.close();
    });
    return this.#closing;
  }
}
