import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from './config/settings.ts';
import { continuityMigrations } from './continuity/migrations.ts';
import { coordinationMigrations } from './coordination/migrations.ts';
import { identityMigrations } from './identity/migrations.ts';
import { slugOwner } from './identity/owners/owner-store.ts';
import { scheduleMigrations } from './schedule/migrations.ts';
import { takeFolder } from './platform/database/data-directory.ts';
import type { Database, Reader } from './platform/database/database.ts';
import { stepName, takenSteps } from './platform/database/migrations.ts';
import { openDatabase, SQLITE_FILE } from './platform/database/open-database.ts';

/** The store as a command on the host sees it, with or without a server that uses it. */
export interface OperatorStore {
  readonly database: Database;
  /** The server that writes to the same file; undefined when there is none, and on PostgreSQL, where it does not matter. */
  readonly serverPid: number | undefined;
  close(): Promise<void>;
}

class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError';
}

/**
 * Opens the store of a configuration without a server. `write` keeps servers from starting on it meanwhile; one that
 * runs already goes on.
 */
export async function openOperatorStore(config: Config, access: 'read' | 'write'): Promise<OperatorStore> {
  const { databaseUrl: url } = config;
  const dataDir = resolve(config.dataDir);
  if (url === undefined && !existsSync(join(dataDir, SQLITE_FILE))) {
    throw new StoreUnusableError(
      `there is no store in ${dataDir}; name its folder with --data-dir, or its database with --database-url`,
    );
  }
  const lock = url === undefined && access === 'write' ? takeFolder(dataDir) : undefined;
  const release = (): void => {
    if (lock?.taken) lock.release();
  };
  try {
    const database = await openDatabase(url === undefined ? { dataDir } : { url });
    await requireCurrent(database).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    return {
      database,
      serverPid: lock && !lock.taken ? lock.holder.pid : undefined,
      async close() {
        await database.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** A command changes no tables: the server that uses them might be of another version. */
async function requireCurrent(database: Database): Promise<void> {
  const modules = [identityMigrations, continuityMigrations, scheduleMigrations, coordinationMigrations];
  const steps = modules.flatMap(({ module, migrations }) => migrations.map((step) => stepName(module, step)));
  const taken = new Set(
    [...(await takenSteps(database))].filter((step) =>
      modules.some(({ module }) => step.startsWith(`${module}/`)),
    ),
  );
  if (steps.some((step) => !taken.has(step))) {
    throw new StoreUnusableError(
      'the store is of an older version; start this version of the server on it once',
    );
  }
  if (taken.size > steps.length) {
    throw new StoreUnusableError('the store is of a newer version; use the command of that version');
  }
}

export const ownerIdOf = (reader: Reader, slug: string): Promise<string | undefined> =>
  slugOwner(reader, slug);
