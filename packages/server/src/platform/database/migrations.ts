import type { Kysely } from 'kysely';
import type { Database, Dialect, Reader, Tx } from './database.ts';
import {
  DatabaseUnusableError,
  MigrationFailedError,
  UnfinishedCopyError,
  UnknownMigrationError,
} from './errors.ts';
import { codeOf } from '../error-words.ts';
import { sql } from './sql.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface Migration {
  readonly name: string;
  up(db: Kysely<unknown>, dialect: Dialect): Promise<void>;
}

/** A module's tables, step by step. A step that has been released is never changed, only followed by another. */
export interface ModuleMigrations {
  readonly module: string;
  readonly migrations: readonly Migration[];
}

/** Stands in the record, as a module no program knows, while another store is copied in: no server begins on half of it. */
export const COPY_UNDER_WAY = 'copy';

interface Step {
  readonly module: string;
  readonly migration: Migration;
}

/** Brings the tables to what this program expects; returns the names of the steps it took. */
export async function migrate(
  database: Database,
  modules: readonly ModuleMigrations[],
  now: () => number,
): Promise<string[]> {
  await database
    .write((tx) => createRecord(tx))
    .catch((error: unknown) => {
      throw isForbidden(error) ? new DatabaseUnusableError('the database of database_url', error) : error;
    });
  const steps = modules.flatMap(({ module, migrations }) =>
    migrations.map((migration) => ({ module, migration })),
  );
  const recorded = await recordedNames(database.read);
  const pending = pendingSteps(steps, recorded);
  if (pending.length > 0 && recorded.size > 0 && database instanceof SqliteDatabase) backUp(database);
  // Into an empty store all at once: waiting for the disk after each step would be most of a first start.
  const rounds = recorded.size === 0 ? [pending] : pending.map((step) => [step]);
  const taken: string[] = [];
  for (const round of rounds) taken.push(...(await take(database, round, now)));
  return taken;
}

/** The steps a store has taken, as `module/name`; none where nobody ever migrated. Changes nothing. */
export async function takenSteps({ read, dialect }: Database): Promise<Set<string>> {
  const table = await read.get(
    dialect === 'sqlite'
      ? sql`SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'parley_migrations'`
      : sql`SELECT 1 AS one WHERE to_regclass('parley_migrations') IS NOT NULL`,
  );
  return table ? await recordedNames(read) : new Set();
}

/** When the store took its first step. */
export async function storeMadeAt(reader: Reader): Promise<number | undefined> {
  return await reader.value<number>(sql`SELECT min(applied_at) AS at FROM parley_migrations`);
}

const FORBIDDEN = '42501';

const isForbidden = (error: unknown): boolean => codeOf(error) === FORBIDDEN;

/** One node migrates and the others wait, however long it takes. */
async function takeTurn(tx: Tx): Promise<void> {
  await tx.takeTime();
  await tx.lock('migrations');
}

async function createRecord(tx: Tx): Promise<void> {
  await takeTurn(tx);
  await tx.run(sql`
    CREATE TABLE IF NOT EXISTS parley_migrations (
      module text NOT NULL, name text NOT NULL, applied_at bigint NOT NULL, PRIMARY KEY (module, name)
    )`);
}

async function recordedNames(reader: Reader): Promise<Set<string>> {
  const rows = await reader.all<{ module: string; name: string }>(
    sql`SELECT module, name FROM parley_migrations ORDER BY applied_at, module, name`,
  );
  return new Set(rows.map((row) => `${row.module}/${row.name}`));
}

function pendingSteps(steps: readonly Step[], recorded: ReadonlySet<string>): Step[] {
  const known = new Set(steps.map(nameOf));
  const unknown = [...recorded].filter((name) => !known.has(name));
  if (unknown.some((name) => name.startsWith(`${COPY_UNDER_WAY}/`))) throw new UnfinishedCopyError();
  if (unknown.length > 0) throw new UnknownMigrationError(unknown);
  return steps.filter((step) => !recorded.has(nameOf(step)));
}

/** Without those that another node took while this one waited for the lock. */
async function take(database: Database, steps: readonly Step[], now: () => number): Promise<string[]> {
  let at = '';
  try {
    return await database.write(async (tx) => {
      await takeTurn(tx);
      const recorded = await recordedNames(tx);
      const open = steps.filter((step) => !recorded.has(nameOf(step)));
      for (const step of open) {
        at = nameOf(step);
        const { module, migration } = step;
        await migration.up(tx.kysely<unknown>(), database.dialect);
        await tx.run(
          sql`INSERT INTO parley_migrations (module, name, applied_at) VALUES (${module}, ${migration.name}, ${now()})`,
        );
      }
      return open.map(nameOf);
    });
  } catch (error) {
    throw new MigrationFailedError(at, error);
  }
}

const nameOf = ({ module, migration }: Step): string => stepName(module, migration);

export const stepName = (module: string, { name }: Migration): string => `${module}/${name}`;

const BACKUPS_KEPT = 3;

/** Copies the database to `<file>.backup-<n>` beside it, and keeps the newest few. */
function backUp(database: SqliteDatabase): void {
  const present = backupNumbers(database.file);
  const next = (present.at(-1) ?? 0) + 1;
  const unfinished = `${database.file}.backup-unfinished`;
  rmSync(unfinished, { force: true });
  database.copyTo(unfinished);
  renameSync(unfinished, `${database.file}.backup-${next}`);
  for (const number of present.slice(0, Math.max(0, present.length + 1 - BACKUPS_KEPT))) {
    rmSync(`${database.file}.backup-${number}`, { force: true });
  }
}

function backupNumbers(file: string): number[] {
  const prefix = `${basename(file)}.backup-`;
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter((number) => Number.isInteger(number))
    .toSorted((a, b) => a - b);
}
