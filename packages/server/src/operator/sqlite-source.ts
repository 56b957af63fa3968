import { openSqliteHandle, type SqliteHandle } from '../platform/database/sqlite/binding.ts';
import type { SqlValue } from '../platform/database/sql.ts';
import type { CopiedRow, CopiedValue } from './table-digest.ts';

export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Tables whose rows must be there before these. */
  readonly needs: readonly string[];
  /** The last number it gave a row by itself; no number is given twice, also when its row is gone. */
  readonly lastId: number | undefined;
}

/** What each database keeps for itself, or what belongs to a running server. */
const LEFT_OUT = new Set(['parley_migrations', 'nodes', 'clusters', 'singletons', 'sqlite_sequence']);
/** The full-text index, which SQLite keeps in a form of its own: told as rows of numbers here. */
const POSTINGS = 'knowledge_postings';
const PAGE = 1000;

/** One moment of a store that is a file. A server may go on writing to it: nobody waits for this reader. */
export class SqliteSource {
  readonly #handle: SqliteHandle;
  readonly tables: readonly SourceTable[];
  /** As `module/name`. */
  readonly steps: ReadonlySet<string>;

  constructor(file: string) {
    this.#handle = openSqliteHandle(file, { readOnly: true });
    // The first statement fixes the moment that all others see.
    this.#handle.exec('BEGIN');
    this.steps = new Set(this.#values(`SELECT module || '/' || name AS value FROM parley_migrations`));
    this.tables = this.#listTables();
    this.#readPostings();
  }

  close(): void {
    this.#handle.close();
  }

  *rows({ name, columns }: SourceTable): Generator<CopiedRow[]> {
    if (name === POSTINGS) yield* this.#postings();
    else yield* this.#pages(name, columns);
  }

  #listTables(): SourceTable[] {
    const names = this.#values(
      `SELECT name AS value FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '${POSTINGS}\\_%' ESCAPE '\\' ORDER BY name`,
    );
    const lastIds = new Map(
      this.#all<{ name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence').map(
        ({ name, seq }) => [name, seq],
      ),
    );
    const tables = names
      .filter((name) => !LEFT_OUT.has(name))
      .map((name) => ({
        name,
        columns:
          name === POSTINGS
            ? ['file_id', 'path_words', 'words']
            : this.#values(`SELECT name AS value FROM pragma_table_info('${name}')`),
        needs: this.#values(`SELECT "table" AS value FROM pragma_foreign_key_list('${name}')`).filter(
          (table) => table !== name,
        ),
        lastId: lastIds.get(name),
      }));
    return inOrder(tables);
  }

  *#pages(table: string, columns: readonly string[]): Generator<CopiedRow[]> {
    const key = this.#pageKey(table);
    const [names, marks] = [key.join(', '), key.map(() => '?').join(', ')];
    const list = columns.map((column) => `"${column}"`).join(', ');
    const keys = key.map((column, index) => `${column} AS page_key_${index}`).join(', ');
    const select = `SELECT ${keys}, ${list} FROM "${table}"`;
    const first = this.#handle.prepare(`${select} ORDER BY ${names} LIMIT ${PAGE}`);
    const next = this.#handle.prepare(
      `${select} WHERE (${names}) > (${marks}) ORDER BY ${names} LIMIT ${PAGE}`,
    );
    let page = first.all() as Record<string, SqlValue>[];
    for (;;) {
      const last = page.at(-1);
      if (!last) return;
      yield page.map((row) =>
        Object.fromEntries(columns.map((column) => [column, storable(row[column] ?? null)])),
      );
      page = next.all(...key.map((_, index) => last[`page_key_${index}`] ?? null)) as typeof page;
    }
  }

  /** What a page begins after: the number that SQLite gives each row, or the key of a table without them. */
  #pageKey(table: string): string[] {
    const [kind] = this.#all<{ wr: number }>(
      `SELECT wr FROM pragma_table_list('${table}') WHERE schema = 'main'`,
    );
    if (kind?.wr !== 1) return ['rowid'];
    return this.#values(
      `SELECT '"' || name || '"' AS value FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`,
    );
  }

  /** The index can be asked which words are where, word by word; the copy wants them file by file. */
  #readPostings(): void {
    if (!this.tables.some(({ name }) => name === POSTINGS)) return;
    this.#handle.exec(`
      CREATE VIRTUAL TABLE temp.posted USING fts5vocab(main, ${POSTINGS}, instance);
      CREATE TEMP TABLE posted_words (doc integer, in_path integer, word integer, PRIMARY KEY (doc, in_path, word)) WITHOUT ROWID;
      INSERT OR IGNORE INTO posted_words SELECT doc, col = 'path_words', CAST(term AS integer) FROM posted`);
  }

  *#postings(): Generator<CopiedRow[]> {
    const page = this.#handle.prepare(`
      SELECT doc AS file_id,
        coalesce(json_group_array(word) FILTER (WHERE in_path = 1), '[]') AS path_words,
        coalesce(json_group_array(word) FILTER (WHERE in_path = 0), '[]') AS words
      FROM posted_words WHERE doc > ? GROUP BY doc ORDER BY doc LIMIT ${PAGE}`);
    for (let after = -1; ; ) {
      const rows = page.all(after) as { file_id: number; path_words: string; words: string }[];
      const last = rows.at(-1);
      if (!last) return;
      after = last.file_id;
      yield rows.map((row) => ({
        file_id: row.file_id,
        path_words: JSON.parse(row.path_words) as number[],
        words: JSON.parse(row.words) as number[],
      }));
    }
  }

  #values(text: string): string[] {
    return this.#all<{ value: string }>(text).map(({ value }) => value);
  }

  #all<Row>(text: string): Row[] {
    return this.#handle.prepare(text).all() as Row[];
  }
}

/** As PostgreSQL takes it: it refuses text with a NUL character, also from a server, which writes U+FFFD for it. */
function storable(value: SqlValue): CopiedValue {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd');
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Each after those it needs. */
function inOrder(tables: readonly SourceTable[]): SourceTable[] {
  const done = new Map<string, SourceTable>();
  const add = (table: SourceTable): void => {
    if (done.has(table.name)) return;
    for (const other of tables) if (table.needs.includes(other.name)) add(other);
    done.set(table.name, table);
  };
  for (const table of tables) add(table);
  return [...done.values()];
}
