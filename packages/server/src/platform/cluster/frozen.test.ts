import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { People } from '../../identity/testing/people.ts';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { type NodeProcess, startNodeProcess } from '../../testing/node-process.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'a node that stands still within a transaction';
/** What another waits for it, and what the database does: the first is over long before the second. */
const LOCK_MS = 4_000;
const IDLE_MS = 12_000;

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

  /** Resolves when the process is still, in the middle of a transaction that has locked what it needs and written nothing yet. */
  async function freezeWithin(node: NodeProcess, name: string): Promise<void> {
    const holder = new Client({ connectionString: url });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE messages IN EXCLUSIVE MODE');
      const waits = async () =>
        (
          await holder.query(`
            SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE NOT granted AND relation = 'messages'::regclass AND application_name = '${name}'`)
        ).rowCount;
      await expect.poll(waits).toBe(1);
      node.child.process.kill('SIGSTOP');
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
    const first = at(still).trySend(body, key);
    await freezeWithin(still, 'one');
    const repeat = async () => {
      const began = performance.now();
      const { status, headers } = await at(other).trySend(body, key);
      return { said: `${status} ${headers['retry-after']}`, ms: performance.now() - began };
    };
    const refused = await repeat();
    expect(refused.said).toBe('503 1');
    // Not for as long as the other stands still: that it is not waited for is the point, not how busy this machine is.
    expect(refused.ms).toBeLessThan(IDLE_MS);
    // What is not in its way is done at once.
    expect((await fetch(`${other.url}/ready`)).status).toBe(200);
    expect((await at(other).inbox('bo', { peek: 'true' })).total).toBe(0);

    await expect.poll(async () => (await repeat()).said).toBe('201 undefined');
    const { messages } = await at(other).inbox('bo', { peek: 'true' });
    expect(messages).toHaveLength(1);

    still.child.process.kill('SIGCONT');
    const late = await first;
    expect([late.status, late.headers['retry-after']]).toEqual([503, '1']);
    const found = await at(still).trySend(body, key);
    expect([found.status, found.body.id]).toEqual([200, messages[0]?.id]);
    expect((await at(still).inbox('bo', { peek: 'true' })).total).toBe(1);
  }, 90_000);
});
