import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { Client } from 'pg';
import { afterAll } from 'vitest';
import type { Dialect } from '../../platform/database/database.ts';
import { sqliteText } from '../../platform/database/sql.ts';
import { SqliteConnection } from '../../platform/database/sqlite/connection.ts';
import { isStatement, type Statement, withoutSecrets } from './statements.ts';

/*
 * `RECORD_STATEMENTS=folder`: whatever the suites of a run send to either database is kept there, each text once, for
 * `previous-statements.test.ts` to make the fixture of.
 */

const folder = process.env.RECORD_STATEMENTS ?? '';

/** Set once for each thread, whose modules the suites share. */
const KEPT = Symbol.for('parley.recorded-statements');
type Kept = Record<Dialect, Map<string, readonly unknown[]>>;
const shared = globalThis as { [KEPT]?: Kept };

if (shared[KEPT] === undefined) {
  const kept: Kept = { sqlite: new Map(), postgres: new Map() };
  shared[KEPT] = kept;
  watchSqlite(kept.sqlite);
  watchPostgres(kept.postgres);
}

afterAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const [dialect, statements] of Object.entries(shared[KEPT] ?? {})) {
    const lines = [...statements].map(([text, values]): Statement => [text, withoutSecrets(values)]);
    const file = join(folder, `${dialect}-${process.pid}-${threadId}.jsonl`);
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
});

type Send = (this: unknown, ...args: unknown[]) => unknown;

function watchSqlite(kept: Map<string, readonly unknown[]>): void {
  const { prototype } = SqliteConnection;
  for (const name of ['all', 'get', 'run'] as const) {
    const send = Reflect.get(prototype, name) as Send;
    Object.defineProperty(prototype, name, {
      value(this: SqliteConnection, query: { strings: readonly string[]; values: readonly unknown[] }) {
        keep(kept, sqliteText(query.strings), query.values);
        return send.call(this, query);
      },
    });
  }
  const execute = Reflect.get(prototype, 'execute') as Send;
  Object.defineProperty(prototype, 'execute', {
    value(this: SqliteConnection, query: { sql: string; parameters: readonly unknown[] }) {
      keep(kept, query.sql, query.parameters);
      return execute.call(this, query);
    },
  });
}

function watchPostgres(kept: Map<string, readonly unknown[]>): void {
  const send = Reflect.get(Client.prototype, 'query') as Send;
  Object.defineProperty(Client.prototype, 'query', {
    value(this: Client, ...args: unknown[]) {
      const [query] = args;
      if (typeof query === 'object' && query !== null && 'text' in query) {
        const { text, values = [] } = query as { text: string; values?: readonly unknown[] };
        keep(kept, text, values);
      }
      return send.apply(this, args);
    },
  });
}

function keep(kept: Map<string, readonly unknown[]>, text: string, values: readonly unknown[]): void {
  if (!kept.has(text) && isStatement(text)) kept.set(text, values);
}
