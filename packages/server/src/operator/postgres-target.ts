import { Client } from 'pg';
import { MIGRATIONS } from '../migrations.ts';
import { systemClock } from '../platform/clock.ts';
import { NodeLock } from '../platform/cluster/node-lock.ts';
import { COPY_UNDER_WAY, migrate } from '../platform/database/migrations.ts';
import { openDatabase } from '../platform/database/open-database.ts';
import { numericTypes } from '../platform/database/postgres/postgres-database.ts';
import { createLog } from '../platform/log.ts';
import { StoreCopyRefused } from '../platform/storage/copy-store.ts';
import type { SourceTable } from './sqlite-source.ts';
import { type CopiedRow, TableDigest, type TableSum } from './table-digest.ts';

const FETCH = 1000;
/** Of rows as text; PostgreSQL takes up to 1 GB in one statement. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** The database that a store is copied to. No server can use it meanwhile, nor before the copy is whole. */
export class PostgresTarget {
  readonly #client: Client;
  readonly #lock: NodeLock;

  private constructor(client: Client, lock: NodeLock) {
    this.#client = client;
    this.#lock = lock;
  }

  /** `source` is what the store calls itself: a copy that was broken off is only taken up by one of the same store. */
  static async open(url: string, source: string): Promise<PostgresTarget> {
    await requireReachable(url);
    const lock = await takeAlone(url);
    const client = clientOf(url);
    const target = new PostgresTarget(client, lock);
    try {
      await client.connect();
      await target.#prepare(url, source);
      return target;
    } catch (error) {
      await target.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
    await this.#lock.release();
  }

  async #prepare(url: string, source: string): Promise<void> {
    const begun = await begunCopy(this.#client);
    if (begun === source) return;
    if (begun !== undefined) {
      throw new StoreCopyRefused(
        'not_empty',
        'the target holds an unfinished copy of another store; name an empty database, or empty this one',
      );
    }
    const filled = await this.#tablesWithRows();
    if (filled.length > 0) {
      throw new StoreCopyRefused(
        'not_empty',
        `the target is not empty: ${filled.slice(0, 3).join(', ')} and what else is there would be mixed with the copy; ` +
          'name an empty database',
      );
    }
    const database = await openDatabase({ url });
    try {
      await migrate(database, MIGRATIONS, () => systemClock.now());
    } finally {
      await database.close();
    }
    await this.#client.query('INSERT INTO parley_migrations (module, name, applied_at) VALUES ($1, $2, $3)', [
      COPY_UNDER_WAY,
      source,
      systemClock.now(),
    ]);
  }

  async #tablesWithRows(): Promise<string[]> {
    const { rows } = await this.#client.query<{ name: string }>(`
      SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_name <> 'parley_migrations' ORDER BY table_name`);
    const filled: string[] = [];
    for (const { name } of rows) {
      const found = await this.#client.query(`SELECT 1 FROM ${quoted(name)} LIMIT 1`);
      if (found.rows.length > 0) filled.push(name);
    }
    return filled;
  }

  /** The tables of both sides have the same columns, but for those that PostgreSQL fills by itself. */
  async requireColumns({ name, columns }: SourceTable): Promise<void> {
    const { rows } = await this.#client.query<{ name: string; filled: boolean }>(
      `SELECT column_name AS name, column_default IS NOT NULL AS filled FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = $1`,
      [name],
    );
    const theirs = new Set(rows.map((row) => row.name));
    const missing = rows.filter((row) => !row.filled && !columns.includes(row.name));
    if (missing.length === 0 && columns.every((column) => theirs.has(column))) return;
    throw new StoreCopyRefused(
      'not_a_store',
      `the table ${name} is not the same on both sides; copy with the version that made them`,
    );
  }

  async empty(tables: readonly SourceTable[]): Promise<void> {
    if (tables.length === 0) return;
    await this.#client.query(`TRUNCATE ${tables.map(({ name }) => quoted(name)).join(', ')}`);
  }

  async put({ name, columns }: SourceTable, rows: readonly CopiedRow[]): Promise<void> {
    const list = columns.map(quoted).join(', ');
    for (const piece of pieces(rows)) {
      await this.#client.query(
        `INSERT INTO ${quoted(name)} (${list}) OVERRIDING SYSTEM VALUE
         SELECT ${list} FROM json_populate_recordset(NULL::${quoted(name)}, $1)`,
        [piece],
      );
    }
  }

  async sum({ name, columns }: SourceTable): Promise<TableSum> {
    const digest = new TableDigest(columns);
    await this.#client.query('BEGIN READ ONLY');
    try {
      await this.#client.query(
        `DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(name)}`,
      );
      for (;;) {
        const { rows } = await this.#client.query<CopiedRow>(`FETCH ${FETCH} FROM copied`);
        for (const row of rows) digest.add(row);
        if (rows.length < FETCH) return digest.sum;
      }
    } finally {
      await this.#client.query('ROLLBACK');
    }
  }

  /** Rows to come get numbers that no row ever had. */
  async continueIds({ name, lastId }: SourceTable): Promise<void> {
    if (lastId === undefined) return;
    await this.#client.query(
      `SELECT setval(pg_get_serial_sequence(quote_ident($1), column_name), $2) FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'`,
      [name, lastId],
    );
  }

  /** From now on a server may use it. */
  async finish(): Promise<void> {
    await this.#client.query('DELETE FROM parley_migrations WHERE module = $1', [COPY_UNDER_WAY]);
    await this.#client.query('ANALYZE');
  }
}

export function clientOf(url: string): Client {
  const client = new Client({ connectionString: url, types: numericTypes, keepAlive: true });
  // Whoever asks next is told that it broke. Nobody else hears it, and it would end the process.
  client.on('error', () => {});
  return client;
}

/** What the store calls itself whose copy this database is to be, until the copy is whole. */
export async function begunCopy(client: Client): Promise<string | undefined> {
  const { rows: there } = await client.query(`SELECT 1 WHERE to_regclass('parley_migrations') IS NOT NULL`);
  if (there.length === 0) return undefined;
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM parley_migrations WHERE module = $1',
    [COPY_UNDER_WAY],
  );
  return rows[0]?.name;
}

/** Told in the words of every other command when there is no such database. */
export async function requireReachable(url: string): Promise<void> {
  await (await openDatabase({ url })).close();
}

/** No server can use the database until this is released. */
export async function takeAlone(url: string): Promise<NodeLock> {
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => {} } });
  const lock = new NodeLock({ url, shared: false, clock: systemClock, log });
  await lock.take();
  return lock;
}

/** As the programs of PostgreSQL read names, too: no pattern. */
export const quoted = (name: string): string => `"${name}"`;

function* pieces(rows: readonly CopiedRow[]): Generator<string> {
  let texts: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const text = JSON.stringify(row, (key, value: unknown) => asJson(row[key], value));
    texts.push(text);
    bytes += text.length;
    if (bytes < PIECE_BYTES) continue;
    yield `[${texts.join()}]`;
    [texts, bytes] = [[], 0];
  }
  if (texts.length > 0) yield `[${texts.join()}]`;
}

/** Bytes as PostgreSQL reads them from text. */
const asJson = (value: unknown, otherwise: unknown): unknown =>
  value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : otherwise;
