import { expect, test } from 'vitest';
import { channelSuite } from './testing/channel-suite.ts';
import { describeEachStore } from './testing/each-store.ts';

const TEN_MINUTES = 600_000;

describeEachStore('channel › idempotent send', (startOn) => {
  const { clock, client } = channelSuite(startOn);

  test('stores a repeated client_id once and answers with the first index', async () => {
    const peer = await (await client.create()).join('a');
    expect((await peer.send('once', { client_id: 'n1' })).body).toEqual({ ok: true, index: 1 });
    await peer.send('between');
    const again = await peer.send('once', { client_id: 'n1' });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ok: true, index: 1, duplicate: true });
    expect((await peer.poll()).body.cursor).toBe(3);
  });

  test('holds for ten minutes', async () => {
    const peer = await (await client.create()).join('a');
    await peer.send('x', { client_id: 'n1' });
    await clock.advance(TEN_MINUTES - 1);
    expect((await peer.send('x', { client_id: 'n1' })).body).toMatchObject({ index: 1, duplicate: true });
    await clock.advance(1);
    expect((await peer.send('x', { client_id: 'n1' })).body).toEqual({ ok: true, index: 2 });
  });

  test('is a matter of each participant and each channel', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const c = await (await client.create()).join('a');
    await a.send('x', { client_id: 'n1' });
    expect((await b.send('x', { client_id: 'n1' })).body).toEqual({ ok: true, index: 3 });
    expect((await c.send('x', { client_id: 'n1' })).body).toEqual({ ok: true, index: 1 });
  });

  test('survives a resumed identity', async () => {
    const channel = await client.create();
    const a = await channel.join('a');
    await a.send('x', { client_id: 'n1' });
    await channel.tryJoin('a', { resume: a.id });
    expect((await a.send('x', { client_id: 'n1' })).body).toMatchObject({ duplicate: true });
  });

  test('takes ids of up to 64 characters, however they read', async () => {
    const peer = await (await client.create()).join('a');
    for (const id of ['x'.repeat(64), '__proto__', 'constructor', ' ', '🦊']) {
      expect((await peer.send('x', { client_id: id })).body.duplicate).toBeUndefined();
      expect((await peer.send('x', { client_id: id })).body.duplicate).toBe(true);
    }
  });

  test.each(['x'.repeat(65), '', null, 7, {}, ['n1']])('ignores %j', async (id) => {
    const peer = await (await client.create()).join('a');
    for (const index of [1, 2]) {
      expect((await peer.send('x', { client_id: id })).body).toEqual({ ok: true, index });
    }
  });

  test('remembers nothing of a send that was refused', async () => {
    const peer = await (await client.create()).join('a');
    expect((await peer.send('', { client_id: 'n1' })).status).toBe(400);
    expect((await peer.send('x', { client_id: 'n1' })).body).toEqual({ ok: true, index: 1 });
  });

  test('stores one of many that race', async () => {
    const peer = await (await client.create()).join('a');
    const answers = await Promise.all(Array.from({ length: 20 }, () => peer.send('x', { client_id: 'n1' })));
    expect(new Set(answers.map(({ body }) => body.index))).toEqual(new Set([1]));
    expect(answers.filter(({ body }) => !body.duplicate)).toHaveLength(1);
    expect((await peer.poll()).body.cursor).toBe(2);
  });
});
