import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@parley/server/config/load';
import { createLog } from '@parley/server/platform/log';
import { sql } from '@parley/server/platform/database/sql';
import { startParley as startHere } from '@parley/server/server';
import { Connection, rawRequest } from '../load/connection.ts';
import { createAgent, json, type MailOwner, registerOwner, sendRequest } from '../load/mail.ts';
import { setMailTable } from '../load/fill/mail-table.ts';
import { startParley } from '../load/server-process.ts';
import { atLeast, atMost, median, percentile, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const SENDERS = 32;
const EACH = 60;
const BATCH = 32;
const ROUNDS = 9;
const PARKED = 1000;
const HTTP_MS = 8_000;
const INBOX = 100_000;
const PAGES = 300;
/** More than a page. */
const SMALL = 100;
const TEXT = 'x'.repeat(400);

/** Messages taken in with a durable answer, and the inbox of somebody who got very many. */
export async function delivery(): Promise<ScenarioResult> {
  const rounds = await interleave();
  const http = await acceptOverHttp();
  const pages = await fullInbox();
  const hand = rounds.map((one) => one.hand);
  return {
    name: `delivery: messages from ${SENDERS} senders (SQLite, WAL, synchronous=FULL)`,
    rows: [
      {
        label: 'accepted messages per second, in the process',
        value: rate(median(rounds.map((one) => one.sent))),
      },
      {
        label: `their rows by hand, ${BATCH} messages in a transaction, per second`,
        value: rate(median(hand)),
      },
      { label: `messages per second over HTTP with ${PARKED} inboxes waiting`, value: rate(http.perSecond) },
      { label: 'the same, answer after ms (p50 / p99)', value: spread(http.latencies) },
      { label: `first page of an inbox of ${rate(INBOX)}, ms (p50 / p99)`, value: spread(pages.full) },
      { label: `first page of an inbox of ${SMALL}, ms (p50 / p99)`, value: spread(pages.small) },
    ],
    checks: [
      atLeast('messages / rows by hand', round(median(rounds.map((one) => one.sent / one.hand))), 0.3),
      atMost(`answer with ${PARKED} inboxes waiting, p99, ms`, round(percentile(http.latencies, 0.99)), 50),
      atMost(`first page of ${rate(INBOX)}, p99, ms`, round(percentile(pages.full, 0.99)), 10),
    ],
  };
}

const rate = (value: number): string => Math.round(value).toLocaleString('en');
const spread = (values: readonly number[]): string =>
  `${round(median(values))} / ${round(percentile(values, 0.99))}`;

/** Both take turns, in changing order, so that a busy moment of the machine does not favour one of them. */
async function interleave(): Promise<{ sent: number; hand: number }[]> {
  const table = await setMailTable(SENDERS, TEXT);
  const rounds: { sent: number; hand: number }[] = [];
  for (let at = -1; at < ROUNDS; at++) {
    const handFirst = at % 2 === 0;
    const early = handFirst ? table.write(SENDERS * EACH, BATCH) : 0;
    const sent = await table.play(EACH);
    const hand = handFirst ? early : table.write(SENDERS * EACH, BATCH);
    if (at >= 0) rounds.push({ sent, hand });
  }
  await table.close();
  return rounds;
}

async function acceptOverHttp(): Promise<{ perSecond: number; latencies: number[] }> {
  const server = await startParley(UNLIMITED);
  const control = await Connection.open(server.url);
  const waiting = await registerOwner(control);
  const parked: Connection[] = [];
  for (let at = 0; at < PARKED; at++) {
    if (at < 50) await createAgent(control, waiting, { slug: `waits-${at}` });
    const connection = await Connection.open(server.url);
    parked.push(connection);
    park(connection, waiting, at % 50);
  }
  const senders = [];
  for (let at = 0; at < SENDERS; at++) {
    const connection = await Connection.open(server.url);
    const owner = await registerOwner(connection);
    await createAgent(connection, owner, { slug: 'box' });
    senders.push({ connection, raw: sendRequest(owner, { to: 'box', from: 'box', body: TEXT }) });
  }
  const latencies: number[] = [];
  const begin = performance.now();
  const warm = begin + 1_000;
  const end = warm + HTTP_MS;
  await Promise.all(
    senders.map(async ({ connection, raw }) => {
      for (let start = performance.now(); start < end; ) {
        await json(connection.request(raw));
        const answered = performance.now();
        if (start >= warm) latencies.push(answered - start);
        start = answered;
      }
    }),
  );
  for (const connection of [...parked, control, ...senders.map((sender) => sender.connection)])
    connection.close();
  await server.stop();
  return { perSecond: (latencies.length * 1000) / HTTP_MS, latencies };
}

/** Asks again as soon as it is answered, until the connection is closed. */
function park(connection: Connection, owner: MailOwner, at: number): void {
  const raw = rawRequest('GET', `/v1/agents/waits-${at}/inbox?wait=25`, undefined, owner.key);
  void (async () => {
    for (;;) await connection.request(raw);
  })().catch(() => undefined);
}

/** The server runs in this process here, so that its store can be filled quickly. */
async function fullInbox(): Promise<{ full: number[]; small: number[] }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const server = await startHere({ ...config, port: 0, dataDir, rateLimits: false }, { log });
  const connection = await Connection.open(server.url);
  const owner = await registerOwner(connection);
  await createAgent(connection, owner, { slug: 'box' });
  await json(connection.request(sendRequest(owner, { to: 'box', body: TEXT })));
  await multiply(server.context.database, INBOX);
  await createAgent(connection, owner, { slug: 'small' });
  const times = { full: [] as number[], small: [] as number[] };
  // In turns, so that a busy moment of the machine does not favour one of them.
  for (let at = -2 * SMALL; at < 2 * PAGES; at++) {
    const [slug, into] = at % 2 === 0 ? (['box', times.full] as const) : (['small', times.small] as const);
    // Each time there is something new on the page, which is thereby handed over.
    await json(connection.request(sendRequest(owner, { to: slug, body: TEXT })));
    const start = performance.now();
    await json(connection.request(rawRequest('GET', `/v1/agents/${slug}/inbox`, undefined, owner.key)));
    if (at >= 0) into.push(performance.now() - start);
  }
  connection.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
  return times;
}

type Store = Awaited<ReturnType<typeof startHere>>['context']['database'];

/** Copies the one message there is, under new names and ever earlier times. */
async function multiply(database: Store, count: number): Promise<void> {
  const columns = async (table: string): Promise<string[]> => {
    const rows = await database.read.all<{ name: string }>(sql`SELECT name FROM pragma_table_info(${table})`);
    return rows.map(({ name }) => name);
  };
  const copy = async (table: string, changed: Readonly<Record<string, string>>): Promise<void> => {
    const names = await columns(table);
    const values = names.map((name) => changed[name] ?? `t.${name}`).join(', ');
    const statement = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO ${table} (${names.join(', ')}) SELECT ${values} FROM n, (SELECT * FROM ${table} LIMIT 1) t`;
    await database.write((tx) =>
      tx.run({ strings: Object.assign([statement], { raw: [statement] }), values: [] }),
    );
  };
  const name = `printf('%012d', n.i)`;
  await copy('messages', {
    id: `'msg_' || ${name}`,
    thread_id: `'msg_' || ${name}`,
    execution_id: `'e' || ${name}`,
    created_at: 't.created_at - n.i',
  });
  await copy('executions', { id: `'e' || ${name}`, message_id: `'msg_' || ${name}` });
  await database.write((tx) => tx.run(sql`UPDATE message_tallies SET count = count + ${count}`));
}
