import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import type { SinkAnswer } from '../../testing/webhook-sink.ts';
import { MessageClient } from '../testing/message-client.ts';
import { webhookScenes } from './testing/scene.ts';

describeEachServer('delivery › webhooks › many at once', (start) => {
  const scene = webhookScenes(start);

  test('fifty of an owner at a time; the rest wait in order', async () => {
    const { sink, owner, send, settled } = await scene();
    const held: ((answer: SinkAnswer) => void)[] = [];
    sink.answer = () => new Promise<SinkAnswer>((resolve) => held.push(resolve));
    const sent: string[] = [];
    for (let at = 0; at < 60; at++) sent.push((await send({ body: `number ${at}` })).id);
    await sink.count(50);
    const states = await Promise.all(sent.map(async (id) => (await owner.message(id)).state));
    expect(states.slice(50)).toEqual(Array.from({ length: 10 }, () => 'queued'));
    expect(sink.received).toHaveLength(50);
    expect(new Set(sink.received.map(({ body }) => body.id))).toEqual(new Set(sent.slice(0, 50)));
    held[0]?.(204);
    await sink.count(51);
    expect(sink.received.at(-1)?.body.id).toBe(sent[50]);
    sink.answer = () => 204;
    for (const release of held) release(204);
    for (const id of sent) await settled(id, 'delivered');
    expect(sink.received).toHaveLength(60);
  }, 60_000);

  test('an endpoint that hangs delays nobody else, not even on the same host', async () => {
    const { sink, server, owner, send } = await scene();
    sink.answer = ({ path }) => (path === '/hook' ? 'never' : 204);
    const blocked = await Promise.all(Array.from({ length: 55 }, () => send()));
    await sink.count(50);
    const other = await MessageClient.register(server);
    await other.create({ slug: 'quick', webhook_url: sink.url('/quick') });
    for (let at = 0; at < 20; at++) {
      const { id } = await other.send('quick', { delivery_mode: 'webhook' });
      await expect.poll(async () => (await other.message(id)).state).toBe('delivered');
    }
    expect(sink.received.filter(({ path }) => path === '/quick')).toHaveLength(20);
    const states = await Promise.all(blocked.map(async ({ id }) => (await owner.message(id)).state));
    expect(states.filter((state) => state === 'delivering')).toHaveLength(50);
    expect(states.filter((state) => state === 'queued')).toHaveLength(5);
  }, 60_000);

  test('a transport that stops hands back what is under way; the next start sends it, and what came meanwhile', async () => {
    const { sink, owner, send, server, clock } = await scene();
    sink.answer = (_, before) => (before === 0 ? 'never' : 204);
    const { id } = await send();
    await sink.count(1);
    const { jobs } = server.context;
    const stopped = jobs.stop();
    await clock.advance(3_000);
    await stopped;
    const later = await send();
    await jobs.start();
    await sink.count(3);
    for (const message of [id, later.id]) {
      await expect.poll(async () => (await owner.message(message)).state).toBe('delivered');
    }
    const names = (message: string): unknown[] =>
      sink.received
        .filter(({ body }) => body.id === message)
        .map(({ headers }) => headers['x-cueapi-delivery-id']);
    expect(names(id)).toHaveLength(2);
    expect(new Set(names(id)).size).toBe(1);
    expect(names(later.id)).toHaveLength(1);
  });
});
