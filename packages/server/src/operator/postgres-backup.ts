import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../platform/clock.ts';
import { KEY_FILE } from '../platform/database/data-directory.ts';
import { makeFolder } from '../platform/make-folder.ts';
import {
  type Backup,
  keyBeside,
  placeCopies,
  requireFolder,
  requireKey,
} from '../platform/storage/backup-store.ts';
import { draftFile, draftOf, StoreCopyRefused } from '../platform/storage/copy-store.ts';
import { requireKeyBeside, type Restored, suffixOfKept } from '../platform/storage/restore-store.ts';
import { runPostgresProgram } from './postgres-programs.ts';
import { begunCopy, clientOf, quoted, requireReachable, takeAlone } from './postgres-target.ts';

export interface DumpOptions {
  readonly url: string;
  readonly dataDir: string;
  readonly file: string;
  readonly force: boolean;
  readonly withKey: boolean;
}

/** Copies a store that is in PostgreSQL with pg_dump, in use or not. The copy has its name only when it is whole. */
export async function dumpStore({ url, dataDir, file: name, force, withKey }: DumpOptions): Promise<Backup> {
  const file = resolve(name);
  requireFolder(file);
  const key = withKey ? requireKey(dataDir) : undefined;
  await requireReachable(url);
  const schema = await schemaOf(url);
  if (!schema.hasStore) throw new StoreCopyRefused('no_store', 'there is no store in that database');
  if (schema.isUnfinished) {
    throw new StoreCopyRefused(
      'not_a_store',
      'that database holds an unfinished copy of another store; run "parley migrate" again first',
    );
  }
  const placed = await placeCopies({ file, key, force }, () =>
    draftOf(file, async (path) => {
      const what = ['--format=custom', '--no-owner', '--no-privileges', `--schema=${quoted(schema.name)}`];
      await runPostgresProgram('pg_dump', [...what, `--file=${path}`], url);
      await runPostgresProgram('pg_restore', ['--list', path], url);
    }),
  );
  return { store: `the schema ${schema.name}`, file, ...placed };
}

/** Puts a dump into a database that is empty and that no server uses: all of it, or nothing. With the key beside it, if wanted. */
export async function loadDump({
  url,
  dataDir,
  file: name,
  withKey,
}: Omit<DumpOptions, 'force'>): Promise<Restored> {
  const file = resolve(name);
  const keyFile = join(resolve(dataDir), KEY_FILE);
  if (withKey) requireKeyBeside(file);
  if (!existsSync(file)) throw new StoreCopyRefused('no_store', `there is no file ${file}`);
  const contents = await runPostgresProgram('pg_restore', ['--list', file], url).catch((error: unknown) => {
    throw error instanceof Error && error.message.includes('pg_restore failed')
      ? new StoreCopyRefused('not_a_store', `${file} is no backup of a store in PostgreSQL`, error)
      : error;
  });
  const dumped = /^\d+;.* TABLE (?<schema>\S+) parley_migrations /m.exec(contents)?.groups?.['schema'];
  if (dumped === undefined) {
    throw new StoreCopyRefused('not_a_store', `${file} is no backup of a store in PostgreSQL`);
  }
  await requireReachable(url);
  const lock = await takeAlone(url);
  try {
    const schema = await schemaOf(url);
    if (schema.name !== dumped) {
      throw new StoreCopyRefused(
        'wrong_place',
        `the backup is of the schema ${dumped}, and database_url leads into ${schema.name}; name one with the same schema`,
      );
    }
    if (schema.tables > 0) {
      throw new StoreCopyRefused(
        'not_empty',
        'the database is not empty; make a new one (CREATE DATABASE …) and restore into that',
      );
    }
    const rest = contents.split('\n').filter((line) => !LEFT_OUT.test(line));
    const folder = mkdtempSync(join(tmpdir(), 'parley-restore-'));
    const list = join(folder, 'list');
    try {
      writeFileSync(list, rest.join('\n'));
      const how = ['--exit-on-error', '--single-transaction', '--no-owner', '--no-privileges'];
      await runPostgresProgram(
        'pg_restore',
        [...how, `--use-list=${list}`, `--dbname=${databaseName(url)}`, file],
        url,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    if (withKey) placeKey(keyBeside(file), keyFile);
    return { store: databaseName(url), kept: undefined, keyFile, hasKey: existsSync(keyFile) };
  } finally {
    await lock.release();
  }
}

/**
 * What the database has by itself, and who served the store that was copied: a restored one has nodes and a name of its own, or it
 * would share the Redis of the first with it.
 */
const LEFT_OUT = /^\d+;.* (?:(?:SCHEMA|COMMENT) - |TABLE DATA \S+ (?:clusters|nodes) )/;

/** One that is there already was made for another store: it is kept under another name. */
function placeKey(from: string, to: string): void {
  makeFolder(dirname(to));
  if (existsSync(to)) draftFile(to, to + suffixOfKept(systemClock)).place();
  draftFile(from, to).place();
}

async function schemaOf(url: string) {
  const client = clientOf(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; tables: number; store: boolean }>(`
      SELECT current_schema() AS name, to_regclass('parley_migrations') IS NOT NULL AS store,
        (SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()) AS tables`);
    const [row] = rows;
    return {
      name: row?.name ?? '',
      tables: row?.tables ?? 0,
      hasStore: row?.store === true,
      /** "parley migrate" is not through with it. */
      isUnfinished: (await begunCopy(client)) !== undefined,
    };
  } finally {
    await client.end();
  }
}

const databaseName = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1));
