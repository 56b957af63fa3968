import { createRequire } from 'node:module';
import type { SqlValue } from '../sql.ts';

/** The part of the `node:sqlite` interface in use. Both bindings below offer it. */
export interface SqliteStatement {
  run(...values: readonly SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
  columns(): { readonly name: string }[];
  /** A row comes as an array from then on. */
  setReturnArrays(returnArrays: boolean): void;
}

export interface SqliteHandle {
  readonly isTransaction: boolean;
  prepare(text: string): SqliteStatement;
  exec(text: string): void;
  close(): void;
}

interface SqliteBinding {
  DatabaseSync: new (file: string, options: { readOnly?: boolean; timeout?: number }) => SqliteHandle;
}

const require = createRequire(import.meta.url);

/** Below Node 24 the built-in module is missing or prints a warning, so a package with the same interface stands in. */
function loadBinding(): SqliteBinding {
  return require(bindingModule()) as SqliteBinding;
}

/** What a thread of its own can load it from. */
export function bindingModule(): string {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= 24 ? 'node:sqlite' : require.resolve('@photostructure/sqlite');
}

let binding: SqliteBinding | undefined;

const BUSY_TIMEOUT_MS = 5_000;

export function openSqliteHandle(
  file: string,
  { readOnly, timeout = BUSY_TIMEOUT_MS }: { readOnly: boolean; timeout?: number },
): SqliteHandle {
  binding ??= loadBinding();
  return new binding.DatabaseSync(file, { readOnly, timeout });
}
