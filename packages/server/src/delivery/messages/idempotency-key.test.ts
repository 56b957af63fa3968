import { beforeAll, expect, test } from 'vitest';
import { tally } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { MessageClient } from '../testing/message-client.ts';

const DAY = 86_400_000;

describeEachServer('message › idempotency key', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: MessageClient;
  let count = 0;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: true, rlInboundPairPerHour: 1000 });
    max = await MessageClient.register(server);
    await max.create({ slug: 'scout' });
    await max.create({ slug: 'other' });
  });

  const key = () => ({ 'Idempotency-Key': `key-${++count}` });
  const send = (body: object, headers: Record<string, string>) =>
    max.trySend({ to: 'scout', body: 'x', ...body }, headers);

  test('the same request again gets the stored message, as it is by now', async () => {
    const headers = key();
    const first = await send({ metadata: { a: 1, b: 2 } }, headers);
    await max.mark(first.body.id, 'ack');
    const again = await send({ metadata: { b: 2, a: 1 } }, headers);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toMatchObject({
      id: first.body.id,
      delivery_state: 'acked',
      idempotency_key: headers['Idempotency-Key'],
    });
    expect((await max.sent('self', { thread_id: first.body.id })).total).toBe(1);
  });

  test.each<[string, object]>([
    ['recipient', { to: 'other' }],
    ['sender', { from: 'other' }],
    ['text', { body: 'y' }],
    ['subject', { subject: 's' }],
    ['priority', { priority: 2 }],
    ['metadata', { metadata: { k: 1 } }],
    ['mode', { delivery_mode: 'bg' }],
    ['fallback', { live_fallback_mode: 'none' }],
    ['due time', { send_at: '2030-01-01T00:00:00Z' }],
    ['correlation id', { correlation_id: 'c' }],
  ])('another %s under the same key is a conflict that names the stored message', async (_what, change) => {
    const headers = key();
    const first = await send({}, headers);
    const conflict = await send(change, headers);
    expect(conflict).toMatchObject({ status: 409, body: { error: { code: 'idempotency_key_conflict' } } });
    expect(conflict.body.error.message).toContain(first.body.id);
  });

  test('belongs to the owner', async () => {
    const headers = key();
    await send({}, headers);
    const eve = await MessageClient.register(server);
    await eve.create({ slug: 'scout' });
    expect((await eve.trySend({ to: 'scout', body: 'x' }, headers)).status).toBe(201);
  });

  test('is free again after 24 hours', async () => {
    const headers = key();
    const first = await send({}, headers);
    await clock.leap(DAY - 1);
    expect((await send({}, headers)).status).toBe(200);
    await clock.advance(1);
    const later = await send({ body: 'new' }, headers);
    expect(later.status).toBe(201);
    expect(later.body.id).not.toBe(first.body.id);
    expect((await send({ body: 'new' }, headers)).body.id).toBe(later.body.id);
  });

  test.each(['', 'x'.repeat(256)])('of %j is refused', async (value) => {
    expect(await send({}, { 'Idempotency-Key': value })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_idempotency_key' } },
    });
  });

  test('fifty first sends at once store one message', async () => {
    const headers = key();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ body: 'race' }, headers)));
    expect(tally(answers)).toEqual({ 201: 1, 200: 49 });
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await max.sent('self', { thread_id: answers[0]?.body.id ?? '' })).total).toBe(1);
  });

  test('a repeat counts against no limit, and a downgrade does not make it a conflict', async () => {
    const small = await start({ defaultPlan: 'free' });
    const ann = await MessageClient.register(small);
    await ann.create({ slug: 'a' });
    const urgent = (n: number) =>
      ann.trySend({ to: 'a', body: 'x', priority: 5 }, { 'Idempotency-Key': `u${n}` });
    for (let n = 1; n <= 5; n++) expect((await urgent(n)).body.priority).toBe(5);
    const downgraded = await urgent(6);
    expect(downgraded.headers['x-cueapi-priority-downgraded']).toBe('true');
    expect(downgraded.body).toMatchObject({ priority: 3, dispatch_priority_bucket: 3 });
    const repeats = await Promise.all(Array.from({ length: 20 }, () => urgent(6)));
    expect(tally(repeats)).toEqual({ 200: 20 });
    expect(repeats[0]?.headers['x-cueapi-priority-downgraded']).toBe('true');
    expect((await urgent(5)).headers).not.toHaveProperty('x-cueapi-priority-downgraded');
    // As requests they count all the same, and this plan has 60 a minute.
    const race = await Promise.all(Array.from({ length: 25 }, () => urgent(7)));
    expect(tally(race)).toEqual({ 201: 1, 200: 24 });
    const me = await ann.call<{ messages_this_month: number }>('GET', '/v1/auth/me');
    expect(me.body.messages_this_month).toBe(7);
  });
});
