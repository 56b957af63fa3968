import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SQLITE_FILE } from '@parley/server/platform/database/open-database';
import type { SqlValue } from '@parley/server/platform/database/sql';
import { openSqliteHandle, type SqliteHandle } from '@parley/server/platform/database/sqlite/binding';
import { WRITER_PRAGMAS } from '@parley/server/platform/database/sqlite/connection';

export type Row = Record<string, SqlValue>;

/** What the store is compared with: prepared statements on a file as durable as the server's, and nothing else. */
export function openByHand(file: string): SqliteHandle {
  const handle = openSqliteHandle(file, { readOnly: false });
  for (const pragma of WRITER_PRAGMAS) handle.exec(`PRAGMA ${pragma}`);
  return handle;
}

/** A copy of a server's store as it is now, to write to by hand. The server may go on. */
export function copyStore(dataDir: string): SqliteHandle {
  const copy = join(dataDir, `copy-${randomBytes(4).toString('hex')}-${SQLITE_FILE}`);
  const source = openSqliteHandle(join(dataDir, SQLITE_FILE), { readOnly: false });
  source.exec(`VACUUM INTO '${copy}'`);
  source.close();
  return openByHand(copy);
}

/** Writes the rows of so many requests, `batch` of them in a transaction; returns how many a second. */
export type WriteByHand = (total: number, batch: number) => number;

/** Inserts rows with the columns of a sample; returns their row ids. */
export function insertInto(handle: SqliteHandle, table: string, sample: Row): (row: Row) => number {
  const columns = Object.keys(sample);
  const insert = handle.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  return (row) => Number(insert.run(...columns.map((column) => row[column] ?? null)).lastInsertRowid);
}

/** Does `one` so many times, `batch` of them in a transaction; returns how many a second. */
export function inBatches(handle: SqliteHandle, one: (at: number) => void): WriteByHand {
  const begin = handle.prepare('BEGIN IMMEDIATE');
  const commit = handle.prepare('COMMIT');
  return (total, batch) => {
    const start = performance.now();
    for (let from = 0; from < total; from += batch) {
      begin.get();
      for (let at = from; at < Math.min(total, from + batch); at++) one(at);
      commit.get();
    }
    return (total * 1000) / (performance.now() - start);
  };
}
