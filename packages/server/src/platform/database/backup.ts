import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SqliteDatabase } from './sqlite/sqlite-database.ts';

const BACKUPS_KEPT = 3;

/** Copies the database to `<file>.backup-<n>` beside it, and keeps the newest few. */
export function backUp(database: SqliteDatabase): string {
  const present = backupNumbers(database.file);
  const next = (present.at(-1) ?? 0) + 1;
  const copy = `${database.file}.backup-${next}`;
  const unfinished = `${database.file}.backup-unfinished`;
  rmSync(unfinished, { force: true });
  database.copyTo(unfinished);
  renameSync(unfinished, copy);
  for (const number of present.slice(0, Math.max(0, present.length + 1 - BACKUPS_KEPT))) {
    rmSync(`${database.file}.backup-${number}`, { force: true });
  }
  return copy;
}

function backupNumbers(file: string): number[] {
  const prefix = `${basename(file)}.backup-`;
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter((number) => Number.isInteger(number))
    .toSorted((a, b) => a - b);
}
