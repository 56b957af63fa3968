import type { BenchServer } from '../both-stores.ts';

type Database = BenchServer['context']['database'];

/** Rows in one transaction: more would keep the log of the store growing. */
const STRIDE = 50_000;

/** A statement whose text depends on the table. */
const plain = (text: string) => ({ strings: [text], values: [] });

/** How the number of a copy is written as twelve digits, for names. */
export const nameOf = ({ dialect }: Database, number = 'n'): string =>
  dialect === 'sqlite' ? `printf('%012x', ${number})` : `lpad(to_hex(${number}), 12, '0')`;

export interface Copies {
  readonly table: string;
  /** Which row is copied. */
  readonly template: string;
  /** What is new in each copy, by its number `n`. */
  readonly replaced: Readonly<Record<string, string>>;
}

/** Copies one row of a table inside the store, under the numbers `from + 1` to `to`. */
export async function multiply(database: Database, copies: Copies, from: number, to: number): Promise<void> {
  const { table, template, replaced } = copies;
  const names = await columnsOf(database, table);
  const values = names.map((name) => replaced[name] ?? `t.${name}`);
  for (let at = from; at < to; at += STRIDE) {
    const numbers = numbersBetween(database, at + 1, Math.min(to, at + STRIDE));
    await database.write((tx) =>
      tx.run(
        plain(`
          ${numbers} INSERT INTO ${table} (${names.join(', ')})
          SELECT ${values.join(', ')} FROM numbers, (SELECT * FROM ${table} WHERE ${template} LIMIT 1) t`),
      ),
    );
  }
}

const numbersBetween = ({ dialect }: Database, first: number, last: number): string =>
  dialect === 'sqlite'
    ? `WITH RECURSIVE numbers (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})`
    : `WITH numbers (n) AS (SELECT generate_series(${first}, ${last}))`;

/** Those whose values the table does not give itself. */
async function columnsOf({ read, dialect }: Database, table: string): Promise<string[]> {
  const rows = await read.all<{ name: string }>(
    plain(
      dialect === 'sqlite'
        ? `SELECT name FROM pragma_table_info('${table}')
           WHERE NOT (pk = 1 AND EXISTS (
             SELECT 1 FROM sqlite_master WHERE name = '${table}' AND sql LIKE '%AUTOINCREMENT%'))`
        : `SELECT column_name AS name FROM information_schema.columns
           WHERE table_schema = current_schema() AND table_name = '${table}' AND is_identity = 'NO'`,
    ),
  );
  return rows.map(({ name }) => name);
}

/** Bytes that the rows and indexes of the whole store take. */
export async function storeBytes({ read, dialect }: Database): Promise<number> {
  const row = await read.get<{ bytes: number }>(
    plain(
      dialect === 'sqlite'
        ? `SELECT (p.page_count - f.freelist_count) * s.page_size AS bytes
           FROM pragma_page_count() p, pragma_freelist_count() f, pragma_page_size() s`
        : `SELECT COALESCE(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class c
           WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`,
    ),
  );
  return row?.bytes ?? 0;
}

/** So that the plans of statements know what there is. */
export async function learn(database: Database): Promise<void> {
  await database.write((tx) => tx.run(plain('ANALYZE')));
}
