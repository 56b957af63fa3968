import { beforeAll, describe, expect, test } from 'vitest';
import { tally } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { sql } from '../../platform/database/sql.ts';
import { MessageClient } from '../testing/message-client.ts';

describeEachServer('message › limits', (start) => {
  const clock = new FakeClock();
  let server: TestServer;

  beforeAll(async () => {
    server = await start({ clock, defaultPlan: 'free' });
  });

  const sender = async (plan?: string) => {
    const client = await MessageClient.register(server);
    if (plan !== undefined) {
      const { id } = client.owner;
      await server.context.database.write((tx) =>
        tx.run(sql`UPDATE owners SET plan = ${plan} WHERE id = ${id}`),
      );
    }
    for (const slug of ['a', 'b', 'c']) await client.create({ slug });
    return client;
  };

  test('ten a minute on the free plan, sliding; what was refused is not counted', async () => {
    const max = await sender();
    for (let n = 0; n < 10; n++) await max.send('a');
    const over = await max.trySend({ to: 'a', body: 'x' });
    expect(over).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limit_exceeded', limit: 10, window_seconds: 60 } },
    });
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
    await clock.advance(60_000);
    expect((await max.trySend({ to: 'a', body: 'x' })).status).toBe(201);
  });

  test('a change of plan holds at once', async () => {
    const max = await sender();
    for (let n = 0; n < 10; n++) await max.send('a');
    expect((await max.trySend({ to: 'a', body: 'x' })).status).toBe(429);
    await server.context.database.write((tx) =>
      tx.run(sql`UPDATE owners SET plan = 'scale' WHERE id = ${max.owner.id}`),
    );
    expect((await max.trySend({ to: 'a', body: 'x' })).status).toBe(201);
  });

  describe('high priority', () => {
    test('five an hour between two agents keep it, further ones arrive with normal priority', async () => {
      const max = await sender('pro');
      for (let n = 0; n < 5; n++) expect((await max.send('a', { priority: 4 })).priority).toBe(4);
      expect((await max.send('a', { priority: 4 })).priority).toBe(3);
      expect((await max.send('b', { priority: 4 })).priority).toBe(4);
      expect((await max.send('a', { priority: 3 })).priority).toBe(3);
    });

    test('ten an hour by one owner, then a refusal', async () => {
      const max = await sender('pro');
      for (const to of ['a', 'b']) for (let n = 0; n < 5; n++) await max.send(to, { priority: 5 });
      expect(await max.trySend({ to: 'c', body: 'x', priority: 4 })).toMatchObject({
        status: 429,
        body: { error: { code: 'priority_high_rate_limit', limit: 10 } },
      });
      await clock.leap(3_600_000);
      expect((await max.send('c', { priority: 4 })).priority).toBe(4);
    });
  });

  test('300 a month: the next is 402, and sixteen at once cannot get past', async () => {
    const max = await sender();
    const month = Date.UTC(new Date(clock.now()).getUTCFullYear(), new Date(clock.now()).getUTCMonth());
    await server.context.database.write((tx) =>
      tx.run(sql`INSERT INTO usage_months (owner_id, month, shard, messages, executions)
        VALUES (${max.owner.id}, ${month}, 0, 295, 0)`),
    );
    const answers = await Promise.all(Array.from({ length: 9 }, () => max.trySend({ to: 'a', body: 'x' })));
    expect(tally(answers)).toEqual({ 201: 5, 402: 4 });
    expect(answers.find(({ status }) => status === 402)?.body.error).toMatchObject({
      code: 'quota_exceeded',
      current: 300,
      limit: 300,
    });
  });

  test('the numbers of a plan are settings', async () => {
    const none = { self_hosted: 0, free: 0, pro: 0, scale: 0 };
    const changed = await start({
      clock,
      planMessagesPerMonth: { ...none, self_hosted: 5 },
      planMessagesPerMinute: { ...none, self_hosted: 3 },
      planHighPriorityPerHour: { ...none, self_hosted: 2 },
      planHighPriorityPerPairHour: { ...none, self_hosted: 1 },
    });
    const max = await MessageClient.register(changed);
    for (const slug of ['a', 'b', 'c']) await max.create({ slug });
    expect((await max.send('a', { priority: 4 })).priority).toBe(4);
    expect((await max.send('a', { priority: 4 })).priority).toBe(3);
    expect((await max.send('b', { priority: 4 })).priority).toBe(4);
    const over = async (more: object = {}) => (await max.trySend({ to: 'c', body: 'x', ...more })).body.error;
    expect(await over()).toMatchObject({ code: 'rate_limit_exceeded', limit: 3 });
    await clock.advance(60_000);
    expect(await over({ priority: 4 })).toMatchObject({ code: 'priority_high_rate_limit', limit: 2 });
    for (const to of ['a', 'b']) await max.send(to);
    expect(await over()).toMatchObject({ code: 'quota_exceeded', current: 5, limit: 5 });
  });

  test('the default plan has no quota', async () => {
    const open = await start();
    const max = await MessageClient.register(open);
    await max.create({ slug: 'a' });
    const answers = await Promise.all(Array.from({ length: 400 }, () => max.trySend({ to: 'a', body: 'x' })));
    expect(tally(answers)).toEqual({ 201: 400 });
  });

  test('another owner may send 30 an hour to one agent', async () => {
    const max = await sender('scale');
    const eve = await sender('scale');
    for (let n = 0; n < 30; n++) await eve.send(`a@${max.owner.slug}`);
    expect(await eve.trySend({ to: `a@${max.owner.slug}`, body: 'x' })).toMatchObject({
      status: 429,
      body: { error: { code: 'inbound_rate_limit', limit: 30 } },
    });
    expect((await eve.trySend({ to: `b@${max.owner.slug}`, body: 'x' })).status).toBe(201);
    expect((await max.trySend({ to: 'a', body: 'x' })).status).toBe(201);
  });
});
