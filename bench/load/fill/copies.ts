import type { BenchServer } from '../both-stores.ts';

type Database = BenchServer['context']['database'];

/** Rows in one transaction: more would keep the log of the store growing. */
const STRIDE = 50_000;

/** A statement whose text depends on the table. */
const plain = (text: string) => ({ strings: [text], values: [] });

/** Twelve hexadecimal digits of a number. */
export const hex = ({ dialect }: Database, number: string): string =>
  dialect === 'sqlite' ? `printf('%012x', ${number})` : `lpad(to_hex(${number}), 12, '0')`;

export interface Copies {
  readonly table: string;
  /** Which row is copied. */
  readonly template: string;
  readonly count: number;
  /** What is not as in the template, by column; `n` counts from 1. */
  readonly replaced: Readonly<Record<string, string>>;
}

/**
 * Copies a row of a table many times inside the store. The indexes are made again when all are there, which takes a fraction of
 * the time.
 */
export async function copies(
  database: Database,
  { table, template, count, replaced }: Copies,
): Promise<void> {
  const names = await columnsOf(database, table);
  const values = names.map((name) => replaced[name] ?? name);
  const indexes = await indexesOf(database, table);
  await all(
    database,
    indexes.map(({ name }) => `DROP INDEX ${name}`),
  );
  for (let from = 0; from < count; from += STRIDE) {
    const to = Math.min(count, from + STRIDE);
    await all(database, [
      `WITH RECURSIVE numbers (n) AS (
         SELECT CAST(${from + 1} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${to})
       INSERT INTO ${table} (${names.join(', ')})
       SELECT ${values.join(', ')} FROM numbers, (SELECT * FROM ${table} WHERE ${template} LIMIT 1) AS template`,
    ]);
  }
  await all(
    database,
    indexes.map(({ definition }) => definition),
  );
}

/** So that the database knows what it has. */
export const analyzed = (database: Database): Promise<void> =>
  all(database, database.dialect === 'sqlite' ? [] : ['ANALYZE']);

/** Without those the database fills in. */
async function columnsOf({ read, dialect }: Database, table: string): Promise<string[]> {
  const rows = await read.all<{ name: string }>(
    plain(
      dialect === 'sqlite'
        ? `SELECT name FROM pragma_table_info('${table}') WHERE NOT (pk = 1 AND lower(type) = 'integer')`
        : `SELECT column_name AS name FROM information_schema.columns
           WHERE table_schema = current_schema() AND table_name = '${table}' AND is_identity = 'NO'`,
    ),
  );
  return rows.map(({ name }) => name);
}

function indexesOf(
  { read, dialect }: Database,
  table: string,
): Promise<{ name: string; definition: string }[]> {
  return read.all(
    plain(
      dialect === 'sqlite'
        ? `SELECT name, sql AS definition FROM sqlite_master WHERE type = 'index' AND tbl_name = '${table}' AND sql IS NOT NULL`
        : `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
           WHERE schemaname = current_schema() AND tablename = '${table}'
             AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    ),
  );
}

async function all(database: Database, statements: readonly string[]): Promise<void> {
  await database.write(async (tx) => {
    for (const statement of statements) await tx.run(plain(statement));
  });
}
