import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@parley/server/config/load';
import { createLog } from '@parley/server/platform/log';
import { startParley } from '@parley/server/server';
import { Connection, rawRequest } from '../load/connection.ts';
import { json, registerOwner } from '../load/mail.ts';
import { atMost, median, percentile, round, type ScenarioResult } from '../result.ts';

const ITEMS = 10_000;
const TOGETHER = 50;
const LISTS = 100;
const WARM = 10;

/** Pages of a long list of reminders, which also say how many there are. */
export async function schedule(): Promise<ScenarioResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const server = await startParley({ ...config, port: 0, dataDir, rateLimits: false }, { log });
  const connection = await Connection.open(server.url);
  const { key } = await registerOwner(connection);
  const caller = await server.context.identity.authenticate(key);
  if (!caller) throw new Error('a key that was just made is not known');
  const { service } = server.context.schedule;
  const start = performance.now();
  for (let at = 0; at < ITEMS; at += TOGETHER) {
    const made = Array.from({ length: TOGETHER }, (_, more) => service.create(caller, itemOf(at + more)));
    await Promise.all(made);
  }
  const perSecond = (ITEMS * 1000) / (performance.now() - start);
  const pages = {
    first: await timed(connection, '?limit=200', key),
    last: await timed(connection, '?limit=200&offset=9800', key),
    due: await timed(connection, '?due=false&thread_id=th-7', key),
  };
  connection.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
  return {
    name: `schedule: lists of ${ITEMS} reminders (SQLite)`,
    rows: [
      { label: 'reminders made per second, in the process', value: String(Math.round(perSecond)) },
      ...Object.entries(pages).map(([name, times]) => ({
        label: `${name} page, ms (p50 / p95)`,
        value: `${round(median(times))} / ${round(percentile(times, 0.95))}`,
      })),
    ],
    checks: Object.entries(pages).map(([name, times]) =>
      atMost(`${name} page of ${ITEMS}, p95, ms`, round(percentile(times, 0.95)), 50),
    ),
  };
}

const itemOf = (at: number): object => ({
  kind: 'reminder',
  title: `reminder ${at}`,
  due_at: `${new Date(Date.UTC(2090, 0, 1) + ((at * 7919) % ITEMS) * 1000).toISOString().slice(0, 19)}Z`,
  thread_id: `th-${at % 100}`,
});

async function timed(connection: Connection, query: string, key: string): Promise<number[]> {
  const request = rawRequest('GET', `/v1/schedule/items${query}`, undefined, key);
  const times: number[] = [];
  for (let at = -WARM; at < LISTS; at++) {
    const start = performance.now();
    const { total } = (await json(connection.request(request))) as { total: number };
    if (total === 0) throw new Error('an empty list says nothing');
    if (at >= 0) times.push(performance.now() - start);
  }
  return times;
}
