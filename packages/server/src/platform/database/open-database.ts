import { join } from 'node:path';
import type { Database } from './database.ts';
import { DatabaseUnusableError } from './errors.ts';
import type { PostgresDatabase, PostgresOptions } from './postgres/postgres-database.ts';
import { sql } from './sql.ts';
import { SqliteDatabase, type SqliteOptions } from './sqlite/sqlite-database.ts';

/** A folder holds a SQLite file; a URL names a PostgreSQL database. */
export type DatabaseLocation = { readonly dataDir: string } | { readonly url: string };

export type OpenOptions = PostgresOptions & SqliteOptions;

export const SQLITE_FILE = 'parley.db';

export async function openDatabase(location: DatabaseLocation, options: OpenOptions = {}): Promise<Database> {
  if ('dataDir' in location) return openFile(join(location.dataDir, SQLITE_FILE), options);
  // Loaded where there is one: a server on a file needs no client for it.
  const postgres = await import('./postgres/postgres-database.ts');
  const database = new postgres.PostgresDatabase(location.url, options);
  await assertReachable(database);
  return database;
}

function openFile(file: string, options: OpenOptions): Database {
  try {
    return new SqliteDatabase(file, options);
  } catch (error) {
    throw new DatabaseUnusableError(`the database file ${file}`, error);
  }
}

/** A wrong URL should stop the start, not the first request. */
async function assertReachable(database: PostgresDatabase): Promise<void> {
  try {
    await database.read.get(sql`SELECT 1 AS one`);
  } catch (error) {
    await database.close();
    throw new DatabaseUnusableError('the database of database_url', error);
  }
}
