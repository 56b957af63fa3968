import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@parley/server/config/load';
import { sql } from '@parley/server/platform/database/sql';
import { createLog } from '@parley/server/platform/log';
import { startParley } from '@parley/server/server';
import { baseCapsule } from '../../../packages/server/src/continuity/testing/base-capsule.ts';
import { Connection, rawRequest } from '../connection.ts';
import { json, registerOwner } from '../mail.ts';

/** A server whose store has one owner with many capsules and one with fewer. */
export interface FilledMemory {
  readonly url: string;
  readonly manyKey: string;
  readonly listedKey: string;
  close(): Promise<void>;
}

/** The server runs in this process here, so that its store can be filled quickly. */
export async function fillMemory({ many, listed }: { many: number; listed: number }): Promise<FilledMemory> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const server = await startParley({ ...config, port: 0, dataDir, rateLimits: false }, { log });
  const { database } = server.context;
  const connection = await Connection.open(server.url);
  const owner = async (count: number): Promise<string> => {
    const { key } = await registerOwner(connection);
    const capsule = baseCapsule('thread', 'work-0', new Date().toISOString());
    const body = { subject_kind: 'thread', subject_id: 'work-0', capsule };
    await json(connection.request(rawRequest('POST', '/v1/continuity/upsert', body, key)));
    await multiply(database, count - 1);
    return key;
  };
  const manyKey = await owner(many);
  const listedKey = await owner(listed);
  connection.close();
  return {
    url: server.url,
    manyKey,
    listedKey,
    async close() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

type Store = Awaited<ReturnType<typeof startParley>>['context']['database'];

/** Copies the capsule that was written last, under new names. */
async function multiply(database: Store, count: number): Promise<void> {
  const newest = await database.read.get<{ id: number }>(sql`SELECT MAX(id) AS id FROM continuity_revisions`);
  const id = newest?.id ?? 0;
  const copy = async (table: string, which: string, changed: Readonly<Record<string, string>>) => {
    const rows = await database.read.all<{ name: string }>(sql`SELECT name FROM pragma_table_info(${table})`);
    const names = rows.map(({ name }) => name);
    const named = (name: string): string => changed[name] ?? `t.${name}`;
    const statement = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map(named).join(', ')}
      FROM n, (SELECT * FROM ${table} WHERE ${which}) t`;
    await database.write((tx) =>
      tx.run({ strings: Object.assign([statement], { raw: [statement] }), values: [] }),
    );
  };
  const name = `'work-' || n.i`;
  const renamed = (column: string): string => `replace(t.${column}, 'work-0', ${name})`;
  await copy('continuity_revisions', `id = ${id}`, {
    id: `${id} + n.i`,
    slug: name,
    path: renamed('path'),
    document: renamed('document'),
  });
  await copy('continuity_artifacts', `revision_id = ${id}`, {
    slug: name,
    subject_id: name,
    revision_id: `${id} + n.i`,
    summary: renamed('summary'),
    // Spread over time, so that there is something to sort by.
    verified_ms: 't.verified_ms - n.i * 60000',
    updated_ms: 't.updated_ms - n.i * 60000',
  });
}
