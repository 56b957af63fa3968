import { Client } from 'pg';
import type { Dialect } from '../../platform/database/database.ts';
import type { SqlValue } from '../../platform/database/sql.ts';
import { openSqliteHandle } from '../../platform/database/sqlite/binding.ts';

/** A text as a server sends it, and values that it may be sent with. */
export type Statement = readonly [text: string, values: readonly unknown[]];

/** What a running server asks and writes; the making of tables is not among it. */
export const isStatement = (text: string): boolean =>
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text);

const BYTES = '\u0000bytes';

/** The kind of each value and nothing of what a test had in it; texts differ, as keys of several rows have to. */
export function withoutSecrets(values: readonly unknown[]): unknown[] {
  return values.map((value, index) => {
    if (value instanceof Uint8Array) return BYTES;
    if (typeof value === 'bigint') return Number(value);
    if (typeof value !== 'string') return value;
    if (/^-?\d{1,15}$/.test(value)) return value;
    if (/^\s*\[.*\]\s*$/s.test(value)) return '[]';
    return /^\s*\{.*\}\s*$/s.test(value) ? '{}' : `x${index}`;
  });
}

const valueOf = (value: unknown): SqlValue => (value === BYTES ? Buffer.from('x') : (value as SqlValue));

export interface Failure {
  readonly text: string;
  readonly error: string;
}

/** Runs each on a store, alone and undone again; those that cannot be run. What a row refers to need not be there. */
export function failuresOn(
  dialect: Dialect,
  place: string,
  statements: readonly Statement[],
): Promise<Failure[]> {
  return dialect === 'sqlite' ? onSqlite(place, statements) : onPostgres(place, statements);
}

async function onSqlite(file: string, statements: readonly Statement[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  const handle = openSqliteHandle(file, { readOnly: false });
  handle.exec('PRAGMA foreign_keys = OFF');
  for (const [text, values] of statements) {
    handle.exec('BEGIN');
    try {
      handle.prepare(text).all(...values.map(valueOf));
    } catch (error) {
      failures.push({ text, error: messageOf(error) });
    }
    handle.exec('ROLLBACK');
  }
  handle.close();
  return failures;
}

async function onPostgres(url: string, statements: readonly Statement[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('SET session_replication_role = replica');
  for (const [text, values] of statements) {
    await client.query('BEGIN');
    try {
      await client.query({ text, values: values.map(valueOf) });
    } catch (error) {
      failures.push({ text, error: messageOf(error) });
    }
    await client.query('ROLLBACK');
  }
  await client.end();
  return failures;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
