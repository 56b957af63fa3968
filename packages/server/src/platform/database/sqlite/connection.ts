import type { CompiledQuery, QueryResult } from 'kysely';
import { type SqlQuery, type SqlValue, sqliteText, storable } from '../sql.ts';
import { keepNewest } from '../../newest.ts';
import type { SlowStatements } from '../slow-statements.ts';
import { openSqliteHandle, type SqliteHandle, type SqliteStatement } from './binding.ts';
import { Prepared } from './prepared.ts';

/** Built queries can take any number of shapes (lists of different length), so only the latest ones are kept. */
const BUILT_STATEMENTS_KEPT = 256;

const CACHE_SIZE = 'cache_size = -32000';

/** How durable a write is and what it costs. `synchronous` is set because the two bindings are built with different defaults. */
export const WRITER_PRAGMAS: readonly string[] = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  CACHE_SIZE,
  // Pages that many commits change go to the file once for all of them. At 4 KB a page the log grows to some 16 MB.
  'wal_autocheckpoint = 4000',
];

/** One SQLite connection with its prepared statements. Every call is synchronous. */
export class SqliteConnection {
  readonly #handle: SqliteHandle;
  readonly #written = new Map<readonly string[], Prepared>();
  readonly #built = new Map<string, Prepared>();

  readonly #slow: SlowStatements | undefined;

  constructor(handle: SqliteHandle, slow?: SlowStatements) {
    this.#handle = handle;
    this.#slow = slow;
  }

  static openWriter(file: string, slow?: SlowStatements): SqliteConnection {
    const handle = openSqliteHandle(file, { readOnly: false });
    for (const pragma of WRITER_PRAGMAS) handle.exec(`PRAGMA ${pragma}`);
    handle.exec('PRAGMA journal_size_limit = 67108864');
    // A savepoint keeps a copy of each page it changes; on disk, where they go by default, that is most of what is written.
    handle.exec('PRAGMA temp_store = MEMORY');
    // What is deleted is overwritten: a purged key must not stay behind in the free space of the file.
    handle.exec('PRAGMA secure_delete = ON');
    return new SqliteConnection(handle, slow);
  }

  /** A connection of its own, so that a read never sees what the writer has not committed, and cannot write. */
  static openReader(file: string, slow?: SlowStatements): SqliteConnection {
    const handle = openSqliteHandle(file, { readOnly: true });
    handle.exec(`PRAGMA ${CACHE_SIZE}`);
    return new SqliteConnection(handle, slow);
  }

  get inTransaction(): boolean {
    return this.#handle.isTransaction;
  }

  exec(text: string): void {
    this.#handle.exec(text);
  }

  prepare(text: string): SqliteStatement {
    return this.#handle.prepare(text);
  }

  all(query: SqlQuery): unknown[] {
    const began = performance.now();
    const rows = this.#statement(query.strings).all(storable(query.values));
    this.#slow?.note(() => sqliteText(query.strings), began);
    return rows;
  }

  get(query: SqlQuery): unknown {
    const began = performance.now();
    const row = this.#statement(query.strings).get(storable(query.values));
    this.#slow?.note(() => sqliteText(query.strings), began);
    return row;
  }

  run(query: SqlQuery): number {
    const began = performance.now();
    const { changes } = this.#statement(query.strings).run(storable(query.values));
    this.#slow?.note(() => sqliteText(query.strings), began);
    return Number(changes);
  }

  execute<Row>(query: CompiledQuery): QueryResult<Row> {
    const statement = this.#builtStatement(query.sql);
    const values = storable(query.parameters as readonly SqlValue[]);
    const began = performance.now();
    if (statement.returnsRows) {
      const rows = statement.all(values) as Row[];
      this.#slow?.note(() => query.sql, began);
      return { rows };
    }
    const { changes, lastInsertRowid } = statement.run(values);
    this.#slow?.note(() => query.sql, began);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  close(): void {
    this.#written.clear();
    this.#built.clear();
    this.#handle.close();
  }

  #statement(strings: readonly string[]): Prepared {
    const known = this.#written.get(strings);
    if (known) return known;
    const statement = new Prepared(this.#handle, sqliteText(strings));
    this.#written.set(strings, statement);
    return statement;
  }

  #builtStatement(text: string): Prepared {
    const built = this.#built.get(text) ?? new Prepared(this.#handle, text);
    keepNewest(this.#built, text, built, BUILT_STATEMENTS_KEPT);
    return built;
  }
}
