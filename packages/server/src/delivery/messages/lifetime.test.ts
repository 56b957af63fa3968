import { isDeepStrictEqual } from 'node:util';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { MessageClient } from '../testing/message-client.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

describeEachServer('message › lifetime', (start) => {
  let clock: FakeClock;
  let server: TestServer;
  let max: MessageClient;

  beforeAll(async () => {
    clock = new FakeClock();
    server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server);
  });

  let slug: string;
  let count = 0;
  beforeEach(async () => {
    slug = `agent-${++count}`;
    await max.create({ slug, delivery_capabilities: ['live', 'bg', 'inbox'], preferred_contact: 'inbox' });
  });

  const rows = async (table: 'messages' | 'executions' | 'message_idempotency') => {
    const query = {
      messages: sql`SELECT count(*) AS n FROM messages WHERE sender_owner = ${max.owner.id}`,
      executions: sql`SELECT count(*) AS n FROM executions WHERE sender_owner = ${max.owner.id}`,
      message_idempotency: sql`SELECT count(*) AS n FROM message_idempotency`,
    }[table];
    return (await server.context.database.read.get<{ n: number }>(query))?.n;
  };

  test('a message expires after its time, wherever it lies', async () => {
    const short = await max.send(slug, { ttl_seconds: 60 });
    const read = await max.send(slug, { ttl_seconds: 60 });
    await max.mark(read.id, 'read');
    const acked = await max.send(slug, { ttl_seconds: 60 });
    await max.mark(acked.id, 'ack');
    const long = await max.send(slug);
    await clock.advance(MINUTE);
    expect((await max.message(short.id)).state).toBe('queued');
    await clock.advance(1000);
    await expect
      .poll(() => max.message(short.id))
      .toMatchObject({
        state: 'expired',
        proven_stage: 'offered',
        proven_stage_reason: 'expired',
      });
    expect((await max.message(read.id)).state).toBe('expired');
    expect((await max.message(acked.id)).state).toBe('acked');
    expect((await max.message(long.id)).state).toBe('queued');
    expect(await max.execution(short.execution_id)).toMatchObject({ status: 'missed' });
    expect(await max.inbox(slug, { peek: 'true' })).toMatchObject({ total: 1 });
    expect((await max.mark(short.id, 'ack')).status).toBe(409);
  });

  test('counts from when it is due', async () => {
    const send_at = new Date(clock.now() + 10 * MINUTE).toISOString();
    const sent = await max.send(slug, { send_at, ttl_seconds: 60 });
    await clock.advance(10 * MINUTE + 30_000);
    expect((await max.message(sent.id)).state).toBe('queued');
    await clock.advance(31_000);
    await expect.poll(() => max.message(sent.id)).toMatchObject({ state: 'expired' });
  });

  test('overdue and expired after a long stop, it is not sent any more', async () => {
    const send_at = new Date(clock.now() + MINUTE).toISOString();
    const sent = await max.send(slug, { send_at, ttl_seconds: 60 });
    await clock.leap(DAY);
    const after = async () => {
      await clock.advance(1000);
      return await max.message(sent.id);
    };
    await expect.poll(after).toMatchObject({ state: 'expired' });
  });

  test('expired while it waits for a live session, it is missed and says so', async () => {
    const sent = await max.send(slug, {
      delivery_mode: 'live',
      live_fallback_mode: 'live_only',
      ttl_seconds: 60,
    });
    await clock.advance(MINUTE + 1000);
    await expect
      .poll(() => max.execution(sent.execution_id))
      .toMatchObject({
        status: 'missed',
        outcome_state: 'live_unclaimed_expired',
        outcome: { error: 'live_unclaimed_expired', recorded_by: 'server' },
      });
    expect((await max.message(sent.id)).state).toBe('expired');
  });

  test.each([
    ['read', 'read'],
    ['ack', 'acked'],
  ] as const)('past its time, but claimed, a message takes a %s', async (how, state) => {
    await max.create({ slug: `busy-${how}`, delivery_capabilities: ['bg'] });
    const sent = await max.send(`busy-${how}`, { ttl_seconds: 60 });
    await max.claim(sent.execution_id, 'worker');
    await clock.advance(61_000);
    expect((await max.message(sent.id)).state).toBe('claimed');
    expect(await max.mark(sent.id, how)).toMatchObject({ status: 200, body: { delivery_state: state } });
  });

  test('does not expire under the hands of who works on it, but once the lease is lost', async () => {
    const sent = await max.send(slug, { delivery_mode: 'bg', ttl_seconds: 60 });
    await max.claim(sent.execution_id);
    await clock.advance(2 * MINUTE);
    expect((await max.message(sent.id)).state).toBe('claimed');
    await clock.advance(15 * MINUTE);
    const after = async () => {
      await clock.advance(1000);
      return await max.message(sent.id);
    };
    await expect.poll(after).toMatchObject({ state: 'expired' });
  });

  test('what is over is removed seven days later, with everything that belongs to it', async () => {
    const before = { messages: await rows('messages'), executions: await rows('executions') };
    const sent = await max.send(slug, {}, { 'Idempotency-Key': slug });
    const kept = await max.send(slug);
    await max.outcome(sent.execution_id, { success: true });
    await clock.leap(7 * DAY - MINUTE);
    expect((await max.message(sent.id)).state).toBe('acked');
    await clock.leap(2 * MINUTE);
    await expect.poll(async () => (await max.call('GET', `/v1/messages/${sent.id}`)).status).toBe(404);
    expect((await max.call('GET', `/v1/executions/${sent.execution_id}`)).status).toBe(404);
    expect((await max.message(kept.id)).state).toBe('queued');
    expect(await rows('messages')).toBeLessThanOrEqual((before.messages ?? 0) + 1);
    expect(await max.inbox(slug, { state: 'acked' })).toMatchObject({ total: 0, messages: [] });
    await expect.poll(() => rows('message_idempotency')).toBe(0);
  });

  test('the totals are what the rows say, after everything above', async () => {
    const { database } = server.context;
    const tallied = () =>
      database.read.all(sql`
      SELECT agent, box, state, sum(count) AS n FROM message_tallies GROUP BY agent, box, state
      HAVING sum(count) <> 0 ORDER BY agent, box, state`);
    const counted = () =>
      database.read.all(sql`
      SELECT recipient AS agent, 'inbox' AS box, state, count(*) AS n FROM messages WHERE queued_at IS NOT NULL
      GROUP BY recipient, state
      UNION ALL SELECT sender, 'sent', state, count(*) FROM messages GROUP BY sender, state
      UNION ALL SELECT owner_id, 'executions', '', count(*) FROM executions GROUP BY owner_id`);
    // A sweep may still be at work between the two queries.
    await expect
      .poll(async () => [plain(await tallied()), plain(await counted())])
      .toSatisfy(([kept, real]: string[][]) => isDeepStrictEqual(kept, real));
  });
});

const plain = (list: unknown[]): string[] =>
  list.map((row) => JSON.stringify(row).replaceAll('"', '')).toSorted();
