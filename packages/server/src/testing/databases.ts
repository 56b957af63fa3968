import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, describe, inject, test } from 'vitest';
import { MIGRATIONS } from '../migrations.ts';
import type { Database, Dialect } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrations.ts';
import { type DatabaseLocation, openDatabase, type OpenOptions } from '../platform/database/open-database.ts';
import { withOption } from '../platform/database/postgres/postgres-database.ts';

export interface TestDatabase {
  readonly dialect: Dialect;
  /** An empty place of its own; open it as often as the test needs. Removed after the test. */
  location: () => Promise<DatabaseLocation>;
}

/** A fresh, empty database, or another connection to `options.at`. Closed after the test. */
export type OpenTestDatabase = (options?: OpenOptions & { at?: DatabaseLocation }) => Promise<Database>;

/** Describes the same thing for SQLite and for PostgreSQL; where there is none, says why it was not run. */
export function describeEachDialect(name: string, suite: (dialect: Dialect) => void): void {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    describe(`${name} (${dialect})`, () => {
      const missing = missingDialect(dialect);
      if (missing === undefined) suite(dialect);
      else test.skip(missing, () => {});
    });
  }
}

function missingDialect(dialect: Dialect): string | undefined {
  if (dialect === 'sqlite') return process.env.TEST_NODES === '2' ? 'a file has one node' : undefined;
  const missing = missingPostgres();
  return missing === undefined ? undefined : `PostgreSQL is not available: ${missing}`;
}

/** The same suite on SQLite and on PostgreSQL. */
export function describeEachDatabase(
  name: string,
  suite: (open: OpenTestDatabase, database: TestDatabase) => void,
): void {
  describeEachDialect(name, (dialect) => {
    const cleanups: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    });
    const location = async (): Promise<DatabaseLocation> => {
      const fresh = await freshLocation(dialect);
      cleanups.push(() => fresh.remove());
      return fresh.at;
    };
    const open: OpenTestDatabase = async ({ at, ...options } = {}) => {
      const database = await openDatabase(at ?? (await location()), options);
      cleanups.push(() => database.close());
      return database;
    };
    suite(open, { dialect, location });
  });
}

/** Why PostgreSQL suites cannot run; undefined when they can. */
export function missingPostgres(): string | undefined {
  const postgres = inject('postgres');
  return 'missing' in postgres ? postgres.missing : undefined;
}

export interface FreshLocation<Location extends DatabaseLocation = DatabaseLocation> {
  readonly at: Location;
  remove: () => Promise<void>;
}

export async function freshLocation(dialect: Dialect): Promise<FreshLocation> {
  if (dialect === 'postgres') return await freshPostgres();
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
  return { at: { dataDir }, remove: async () => rmSync(dataDir, { recursive: true, force: true }) };
}

/** A URL that leads into an empty schema of its own; a spawned server can be given it as it is. */
export async function freshPostgres(): Promise<FreshLocation<{ readonly url: string }>> {
  const postgres = inject('postgres');
  if ('missing' in postgres) throw new Error(`PostgreSQL is not available: ${postgres.missing}`);
  const schema = `test_${randomBytes(8).toString('hex')}`;
  await execute(postgres.url, `CREATE SCHEMA ${schema}`);
  return {
    at: { url: withOption(postgres.url, `search_path=${schema}`) },
    remove: () => execute(postgres.url, `DROP SCHEMA ${schema} CASCADE`),
  };
}

/** As `freshPostgres`, a whole database of its own. */
export async function freshDatabase(template?: string): Promise<FreshLocation<{ readonly url: string }>> {
  const postgres = inject('postgres');
  if ('missing' in postgres) throw new Error(`PostgreSQL is not available: ${postgres.missing}`);
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(
    postgres.url,
    `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`,
  );
  return {
    at: { url: databaseUrl(postgres.url, name) },
    remove: () => execute(postgres.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** As `freshPostgres`, with the server's tables in it already: to copy them is quicker than to make them. */
export async function freshTables(): Promise<FreshLocation<{ readonly url: string }>> {
  const postgres = inject('postgres');
  if ('missing' in postgres) throw new Error(`PostgreSQL is not available: ${postgres.missing}`);
  return await freshDatabase(postgres.tables);
}

/** A database that has all tables and no rows, for `freshTables`; returns its name. */
export async function makeTables(url: string): Promise<string> {
  const name = `tables_${randomBytes(8).toString('hex')}`;
  await execute(url, `CREATE DATABASE ${name}`);
  const database = await openDatabase({ url: databaseUrl(url, name) });
  try {
    await migrate(database, MIGRATIONS, () => Date.now());
  } finally {
    await database.close();
  }
  return name;
}

function databaseUrl(url: string, name: string): string {
  const at = new URL(url);
  at.pathname = `/${name}`;
  return at.href;
}

/** What is asked of a PostgreSQL beside what is tested. */
export async function ask<Row>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
}

const execute = async (url: string, statement: string): Promise<void> => void (await ask(url, statement));
