import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MIGRATIONS } from '../migrations.ts';
import { takeFolder } from '../platform/database/data-directory.ts';
import { stepName } from '../platform/database/migrations.ts';
import { SQLITE_FILE } from '../platform/database/open-database.ts';
import { StoreCopyRefused } from '../platform/storage/copy-store.ts';
import { PostgresTarget } from './postgres-target.ts';
import { type SourceTable, SqliteSource } from './sqlite-source.ts';
import { sameSum, TableDigest, type TableSum } from './table-digest.ts';

export interface CopyOptions {
  readonly dataDir: string;
  /** postgres://… of an empty database, or of one that an earlier copy of the same store was broken off in. */
  readonly url: string;
  readonly onTable?: (name: string, rows: number) => void;
}

export interface Copied {
  readonly tables: number;
  readonly rows: number;
  /** Rows of tables that an earlier copy had brought already. */
  readonly kept: number;
  /** The server that goes on writing to the source: what it takes from now on is not in the copy, which stays unfinished. */
  readonly serverPid: number | undefined;
}

/**
 * Copies a store that is a file into PostgreSQL, table by table, and compares what both hold.
 *
 * | source           | target                       | then                                                           |
 * |------------------|------------------------------|----------------------------------------------------------------|
 * | no server on it  | empty                        | copied; servers may use the target                             |
 * | a server runs    | empty                        | what is there now is copied; servers refuse the target as yet  |
 * | either           | unfinished copy of the source| tables that differ are copied anew, then as above              |
 * | either           | anything else                | refused                                                        |
 *
 * The source is never changed; broken off at any point, the same call goes on.
 */
export async function copyToPostgres({ dataDir, url, onTable = () => {} }: CopyOptions): Promise<Copied> {
  const folder = resolve(dataDir);
  const file = join(folder, SQLITE_FILE);
  if (!existsSync(file)) {
    throw new StoreCopyRefused('no_store', `there is no store in ${folder}; name its folder with --data-dir`);
  }
  // Held until the end: a server that starts meanwhile would write what nobody copies.
  const lock = takeFolder(folder);
  try {
    const source = new SqliteSource(file);
    try {
      requireVersion(source.steps);
      const target = await PostgresTarget.open(url, nameOf(source));
      try {
        const serverPid = lock.taken ? undefined : lock.holder.pid;
        const copied = await copyTables(source, target, onTable);
        if (lock.taken) await target.finish();
        return { ...copied, serverPid };
      } finally {
        await target.close();
      }
    } finally {
      source.close();
    }
  } finally {
    if (lock.taken) lock.release();
  }
}

async function copyTables(
  source: SqliteSource,
  target: PostgresTarget,
  onTable: (name: string, rows: number) => void,
): Promise<Omit<Copied, 'serverPid'>> {
  const { tables } = source;
  const wanted = new Map<string, TableSum>();
  const stale = new Set<string>();
  for (const table of tables) {
    await target.requireColumns(table);
    const sum = sumOf(source, table);
    wanted.set(table.name, sum);
    // What refers to rows that are copied anew is copied anew too.
    if (table.needs.some((name) => stale.has(name)) || !sameSum(sum, await target.sum(table))) {
      stale.add(table.name);
    }
  }
  const rowsOf = ({ name }: SourceTable): number => wanted.get(name)?.rows ?? 0;
  const anew = tables.filter(({ name }) => stale.has(name));
  await target.empty(anew);
  for (const table of anew) {
    for (const rows of source.rows(table)) await target.put(table, rows);
    const sum = wanted.get(table.name);
    const there = await target.sum(table);
    if (!sum || !sameSum(sum, there)) {
      throw new StoreCopyRefused(
        'copy_differs',
        `the copy of ${table.name} is not what the source holds (${sum?.rows} rows, ${there.rows} copied); the source is as it was`,
      );
    }
    onTable(table.name, sum.rows);
  }
  for (const table of tables) await target.continueIds(table);
  const count = (some: readonly SourceTable[]): number => some.reduce((sum, table) => sum + rowsOf(table), 0);
  const rows = count(tables);
  return { tables: tables.length, rows, kept: rows - count(anew) };
}

function sumOf(source: SqliteSource, table: SourceTable): TableSum {
  const digest = new TableDigest(table.columns);
  for (const rows of source.rows(table)) for (const row of rows) digest.add(row);
  return digest.sum;
}

/** What the store sealed when it was made is like no other store's. */
function nameOf(source: SqliteSource): string {
  const table = source.tables.find(({ name }) => name === 'secret_key_check');
  const row = table && source.rows(table).next().value?.[0];
  if (!row)
    throw new StoreCopyRefused('no_store', 'no server ever used this store; there is nothing to copy');
  return createHash('sha256').update(String(row['sealed'])).digest('hex').slice(0, 16);
}

function requireVersion(steps: ReadonlySet<string>): void {
  const known = MIGRATIONS.flatMap(({ module, migrations }) =>
    migrations.map((step) => stepName(module, step)),
  );
  if (known.some((step) => !steps.has(step))) {
    throw new StoreCopyRefused(
      'wrong_version',
      'the store is of an older version; start this version of the server on it once',
    );
  }
  if (steps.size > known.length) {
    throw new StoreCopyRefused(
      'wrong_version',
      'the store is of a newer version; use the command of that version',
    );
  }
}
