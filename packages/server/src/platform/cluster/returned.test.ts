import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { must, RoomClient } from '../../rooms/testing/room-client.ts';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { type NodeProcess, startNodeProcess, told } from '../../testing/node-process.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';
import { WebhookSink } from '../../testing/webhook-sink.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'a node that was killed and comes back on its folder';
/** Far less than the lease of what it held, which is the thirty seconds of the defaults. */
const SOON_MS = 10_000;

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('sends the webhook of a room that was under way at once, and does not wait for its own lease', async () => {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const place = await freshTables();
    cleanups.push(() => place.remove());
    const sink = await new WebhookSink().listen();
    cleanups.push(() => sink.close());
    const folder = mkdtempSync(join(tmpdir(), 'parley-nodes-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const start = async (): Promise<NodeProcess> => {
      const node = await startNodeProcess({
        databaseUrl: place.at.url,
        // With others, who might hold what it finds held.
        redisUrl: redis.url,
        secretKey: '7'.repeat(64),
        rateLimits: false,
        dataDir: folder,
        callbackAllow: [sink.host],
      });
      cleanups.push(() => node.child.kill());
      return node;
    };
    const before = await start();
    const { a, b, id } = await new RoomClient(before).room();
    const body = { url: sink.url(), secret: 'hook-secret-1' };
    must(201, await b.call('POST', '/v1/agent/webhooks', { body }));
    sink.answer = () => 'never';
    await a.send(id, 'hello');
    const first = await sink.nth(1);
    await before.child.kill();

    sink.answer = () => 204;
    const after = await start();
    const back = performance.now();
    const second = await sink.nth(2);
    expect(second.text).toBe(first.text);
    expect(second.at - back).toBeLessThan(SOON_MS);
    expect(told(after, 'node_gone')).toHaveLength(1);
  }, 90_000);
});
