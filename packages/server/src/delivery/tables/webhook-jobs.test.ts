import { afterEach, expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import type { Database } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { WebhookSink } from '../../testing/webhook-sink.ts';
import { MessageClient } from '../testing/message-client.ts';
import type { PostedMessage } from '../webhooks/testing/scene.ts';
import { type Delivery, WEBHOOK_JOB } from '../webhooks/webhook-kind.ts';

const MINUTE = 60_000;

/** Makes of a store what the version before had: deliveries in a table of their own, jobs without groups. */
async function setBack(database: Database, held: string, staleAt: number): Promise<void> {
  await database.write(async (tx) => {
    await tx.run(sql`CREATE TABLE webhook_deliveries (
      id text PRIMARY KEY, owner_id text NOT NULL, kind text NOT NULL, ref text NOT NULL, execution_id text, body text,
      state text NOT NULL, attempts integer NOT NULL, due_at bigint NOT NULL, created_at bigint NOT NULL)`);
    const jobs = await tx.all<{ payload: string; attempts: number; due_at: number; created_at: number }>(sql`
      SELECT payload, attempts, due_at, created_at FROM jobs WHERE kind = ${WEBHOOK_JOB}`);
    for (const { payload, attempts, due_at: dueAt, created_at: createdAt } of jobs) {
      const { id, ownerId, kind, ref, executionId, body } = JSON.parse(payload) as Delivery;
      const [state, due] = ref === held ? ['sending', staleAt] : ['waiting', dueAt];
      await tx.run(sql`
        INSERT INTO webhook_deliveries VALUES
          (${id}, ${ownerId}, ${kind}, ${ref}, ${executionId}, ${body}, ${state}, ${attempts}, ${due}, ${createdAt})`);
    }
    await tx.run(sql`DELETE FROM jobs WHERE kind = ${WEBHOOK_JOB}`);
    await tx.run(sql`DROP INDEX jobs_wake`);
    await tx.run(sql`ALTER TABLE jobs DROP COLUMN grp`);
    await tx.run(
      sql`CREATE INDEX jobs_wake ON jobs (kind, wake_at, id) WHERE dead_at IS NULL AND blocked = 0`,
    );
    await tx.run(sql`
      DELETE FROM parley_migrations WHERE name IN ('002 groups', '003 webhooks are jobs') AND module IN ('jobs', 'delivery')`);
  });
}

describeEachDatabase('delivery › webhooks of the version before', (open, { dialect, location }) => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('go on: each in its time, with its attempts, under its id', async () => {
    const sink = await new WebhookSink<PostedMessage>().listen();
    cleanups.push(() => sink.close());
    const at = await location();
    const place = 'url' in at ? { databaseUrl: at.url, secretKey: '7'.repeat(64) } : { dataDir: at.dataDir };
    const clock = new FakeClock();
    const begin = (): Promise<TestServer> =>
      startServer({ ...place, clock, rateLimits: false, callbackAllow: [sink.host] });
    const first = await begin();
    const before = await MessageClient.register(first);
    await before.create({ slug: 'sink', webhook_url: sink.url() });
    const send = async (): Promise<string> =>
      (await before.send('sink', { from: 'sink', delivery_mode: 'webhook' })).id;
    sink.answer = () => 503;
    const failed = await send();
    await expect.poll(async () => (await before.message(failed)).state).toBe('retry_ready');
    sink.answer = () => 'never';
    const held = await send();
    await sink.count(2);
    const closed = first.close();
    await clock.advance(3_000);
    await closed;
    await first.context.database.close();
    const staleAt = clock.now() + 5 * MINUTE;
    await setBack(await open({ at }), held, staleAt);

    sink.answer = () => 204;
    const second = await begin();
    cleanups.push(() => second.close());
    const after = new MessageClient(new People(second), before.owner);
    const delivered = (id: string): Promise<void> =>
      expect.poll(async () => (await after.message(id)).state).toBe('delivered');
    const alone = dialect === 'sqlite';
    if (alone) await delivered(held);
    expect((await after.message(failed)).state).toBe('retry_ready');
    await clock.advance(2 * MINUTE);
    await delivered(failed);
    if (!alone) {
      expect((await after.message(held)).state).toBe('delivering');
      await clock.advance(5 * MINUTE);
      await delivered(held);
    }
    for (const id of [failed, held]) {
      const posts = sink.received.filter(({ body }) => body.id === id);
      expect(posts.map(({ headers }) => headers['x-cueapi-attempt'])).toEqual(['1', '2']);
      expect(new Set(posts.map(({ headers }) => headers['x-cueapi-delivery-id'])).size).toBe(1);
    }
  });
});
