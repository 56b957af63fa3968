import type { Database, DatabaseEvents, Reader, WriteFunction } from '../database.ts';
import { TableChanges } from '../table-changes.ts';
import { SqliteConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteReader } from './sqlite-reader.ts';

export interface SqliteOptions extends DatabaseEvents {
  stallMs?: number;
}

export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly changes = new TableChanges();
  readonly file: string;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteReader;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;

  constructor(file: string, { onHookError = () => {}, stallMs }: SqliteOptions = {}) {
    this.file = file;
    this.#writer = SqliteConnection.openWriter(file);
    this.#reader = new SqliteReader(SqliteConnection.openReader(file));
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
