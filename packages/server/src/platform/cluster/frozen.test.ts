import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baseCapsule, T } from '../../continuity/testing/base-capsule.ts';
import { Memory } from '../../continuity/testing/memory.ts';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { People } from '../../identity/testing/people.ts';
import { ask, freshTables, missingPostgres } from '../../testing/databases.ts';
import type { Answer } from '../../testing/http-client.ts';
import { type NodeProcess, startNodeProcess } from '../../testing/node-process.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'a node that stands still within a transaction';
/** What another waits for it, and what the database does: the first is over long before the second. */
const LOCK_MS = 5_000;
const IDLE_MS = 12_000;

const said = ({ status, headers }: Pick<Answer, 'status' | 'headers'>): string =>
  `${status} ${headers['retry-after']}`;

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  let url: string;
  let nodes: [NodeProcess, NodeProcess];
  let owner: MessageClient['owner'];
  beforeAll(async () => {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const place = await freshTables();
    cleanups.push(() => place.remove());
    ({ url } = place.at);
    const folder = mkdtempSync(join(tmpdir(), 'parley-nodes-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const start = async (name: string): Promise<NodeProcess> => {
      const own = new URL(url);
      own.searchParams.set('application_name', name);
      const node = await startNodeProcess({
        databaseUrl: own.href,
        redisUrl: redis.url,
        secretKey: '7'.repeat(64),
        rateLimits: false,
        dataDir: join(folder, name),
        dbLockTimeoutMs: LOCK_MS,
        dbIdleTransactionTimeoutMs: IDLE_MS,
      });
      cleanups.push(() => node.child.kill());
      return node;
    };
    nodes = [await start('one'), await start('two')];
    ({ owner } = await MessageClient.register(nodes[0]));
  }, 60_000);
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  const at = (node: NodeProcess): MessageClient => new MessageClient(new People({ url: node.url }), owner);
  const memory = (node: NodeProcess): Memory => new Memory(new People({ url: node.url }), owner);

  /** Resolves when the process is still, in the middle of transactions that have locked what they need, and written some of it. */
  async function freezeWithin<Asked>(node: NodeProcess, name: string, begin: () => Asked): Promise<Asked> {
    const holder = new Client({ connectionString: url });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE message_tallies, continuity_artifacts IN EXCLUSIVE MODE');
      const asked = begin();
      // Not by the holder: who is there is told once in a transaction, and a connection may be younger.
      const waits = async () =>
        (
          await ask(
            url,
            `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
             WHERE NOT granted AND relation IN ('message_tallies'::regclass, 'continuity_artifacts'::regclass)
               AND application_name = '${name}'`,
          )
        ).length;
      await expect.poll(waits).toBe(2);
      node.child.process.kill('SIGSTOP');
      return asked;
    } finally {
      // What it waited for is done now, and it does not know.
      await holder.end();
    }
  }

  test('keeps others waiting for seconds, who are told to come back; then they go on, and nothing is half done', async () => {
    const [still, other] = nodes;
    await at(other).create({ slug: 'bo' });
    const body = { to: 'bo', body: 'once' };
    const key = { 'idempotency-key': 'the same request' };
    const capsule = baseCapsule('thread', 'held', T(1));
    const send = (node: NodeProcess) => at(node).trySend(body, key);
    const upsert = (node: NodeProcess) =>
      memory(node).upsert<{ created: boolean; updated: boolean }>(capsule);
    const first = await freezeWithin(still, 'one', () => [send(still), upsert(still)] as const);
    const began = performance.now();
    const refused = await Promise.all([send(other), upsert(other)]);
    expect(refused.map(said)).toEqual(['503 1', '503 1']);
    // Not for as long as the other stands still: that it is not waited for is the point, not how busy this machine is.
    expect(performance.now() - began).toBeLessThan(IDLE_MS);
    // What is not in its way is done at once.
    expect((await fetch(`${other.url}/ready`)).status).toBe(200);
    expect((await at(other).inbox('bo', { peek: 'true' })).total).toBe(0);
    expect((await memory(other).call('list', {})).body.count).toBe(0);
    // Of those that count in the same places some meet what it holds.
    const crowd = await Promise.all(
      Array.from({ length: 24 }, (_, place) => at(other).trySend({ to: 'bo', body: `text ${place}` })),
    );
    const done = crowd.filter(({ status }) => status === 201).length;
    expect(new Set([...crowd.map(said), '201 undefined', '503 1']).size).toBe(2);

    await expect.poll(async () => said(await send(other))).toBe('201 undefined');
    await expect.poll(async () => said(await upsert(other))).toBe('200 undefined');
    const { messages, total } = await at(other).inbox('bo', { peek: 'true', limit: 100 });
    expect([messages.length, total]).toEqual([done + 1, done + 1]);
    const [kept] = messages.filter((message) => message.body === body.body);

    still.child.process.kill('SIGCONT');
    const late = await Promise.all(first);
    expect(late.map(said)).toEqual(['503 1', '503 1']);
    const found = await send(still);
    expect([found.status, found.body.id]).toEqual([200, kept?.id]);
    expect((await at(still).inbox('bo', { peek: 'true' })).total).toBe(done + 1);
    expect((await upsert(still)).body).toMatchObject({ created: false, updated: false });
  }, 90_000);
});
