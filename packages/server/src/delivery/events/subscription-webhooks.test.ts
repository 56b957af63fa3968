import { EVENT_RETRY_WAITS } from '@parley/protocol/delivery/limits';
import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { systemRandom } from '../../platform/ids.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { WebhookSink } from '../../testing/webhook-sink.ts';
import { EventClient } from './testing/event-client.ts';

interface Posted {
  readonly delivery_id: string;
  readonly subscription_id: string;
  readonly events: { id: number; event_type: string; payload: Record<string, unknown>; emitted_at: string }[];
}

const START = Date.UTC(2026, 5, 1, 9);

describeEachServer('delivery › events by webhook', (start) => {
  const sinks: WebhookSink<Posted>[] = [];
  afterAll(async () => {
    for (const sink of sinks) await sink.close();
  });

  const scene = async (more: object = {}) => {
    const sink = await new WebhookSink<Posted>().listen();
    sinks.push(sink);
    const clock = new FakeClock(START);
    const random = { ...systemRandom, unit: () => 0.5 };
    const server = await start({ clock, rateLimits: false, callbackAllow: [sink.host], random });
    const max = await EventClient.register(server);
    await max.owner.create({ slug: 'from' });
    await max.owner.create({ slug: 'to' });
    const wish = { delivery_target: 'webhook', webhook_url: sink.url(), ...more };
    const subscription = await max.subscribe('to', wish);
    const send = (body: object = {}) => max.owner.send('to', { from: 'from', ...body });
    const shown = async () => (await max.subscriptions('to'))[0];
    return { sink, clock, server, max, subscription, send, shown };
  };

  const idsOf = ({ body }: { body: Posted }): number[] => body.events.map(({ id }) => id);

  test('come signed, with what the events list says, and the mark moves', async () => {
    const { sink, max, subscription, send, shown } = await scene();
    const sent = await send({ subject: 'Tide é' });
    const { headers, text, body } = await sink.nth(1);
    const [event] = (await max.events('to')).events;
    expect(body).toEqual({
      delivery_id: headers['x-cueapi-delivery-id'],
      subscription_id: subscription.id,
      events: [
        {
          id: event?.id,
          event_type: 'message.delivered',
          payload: event?.payload,
          emitted_at: event?.emitted_at,
        },
      ],
    });
    expect(body.events[0]?.payload).toMatchObject({ message_id: sent.id });
    expect(body.events[0]?.payload).not.toHaveProperty('body');
    expect(headers).toMatchObject({
      'x-cueapi-event-count': '1',
      'user-agent': 'CueAPI/1.0 (Parley)',
      'content-type': 'application/json',
    });
    const expected = createHmac('sha256', subscription.webhook_secret ?? '')
      .update(`${String(headers['x-cueapi-timestamp'])}.${text}`)
      .digest('hex');
    expect(headers['x-cueapi-signature']).toBe(`v1=${expected}`);
    await expect.poll(shown).toMatchObject({
      last_dispatched_event_id: event?.id,
      last_dispatched_at: new Date(START).toISOString(),
    });
  });

  test('only what it asked for, from when it asked, with the text where it asked for that', async () => {
    const { sink, max, send } = await scene({ event_type: 'message.acked', inline_body: true });
    const early = await send({ body: 'hear hear' });
    await max.owner.mark(early.id, 'ack');
    const fromSubscribed = await max.subscribe('from', {
      event_type: 'message.acked',
      delivery_target: 'webhook',
      webhook_url: sink.url('/from'),
      inline_body: true,
    });
    const late = await send({ body: 'the text' });
    await max.owner.mark(late.id, 'read');
    await max.owner.mark(late.id, 'ack');
    const { body, path } = await sink.nth(1);
    expect([path, body.subscription_id]).toEqual(['/from', fromSubscribed.id]);
    expect(body.events.map(({ payload }) => [payload.message_id, payload.body])).toEqual([
      [late.id, 'the text'],
    ]);
  });

  test('50 at a time, in order, each once', async () => {
    const { sink, send } = await scene();
    const open = new EventEmitter();
    sink.answer = async (_post, before) => {
      if (before === 0) await once(open, 'now');
      return 200;
    };
    await send();
    await sink.count(1);
    for (let n = 0; n < 60; n += 1) await send();
    open.emit('now');
    const posts = await sink.count(3);
    expect(posts.map(({ body }) => body.events.length)).toEqual([1, 50, 10]);
    const ids = posts.flatMap(idsOf);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  });

  test('the same events again under the same id until it is taken; after ten failures a pause of an hour', async () => {
    const { sink, clock, send, shown } = await scene();
    sink.answer = () => 500;
    await send();
    await sink.count(1);
    await expect.poll(shown).toMatchObject({ consecutive_failures: 1 });
    await send();
    for (let failures = 2; failures <= 10; failures += 1) {
      await clock.advance(EVENT_RETRY_WAITS[Math.min(failures - 2, EVENT_RETRY_WAITS.length - 1)] ?? 0);
      await expect.poll(shown).toMatchObject({ consecutive_failures: failures });
    }
    const before = sink.received.length;
    expect(before).toBe(10);
    expect(new Set(sink.received.map(({ body }) => body.delivery_id)).size).toBe(1);
    expect(new Set(sink.received.map((post) => idsOf(post).join())).size).toBe(1);
    const pausedUntil = Date.parse((await shown())?.paused_until ?? '');
    expect(pausedUntil).toBe(clock.now() + 3_600_000);
    sink.answer = () => 204;
    await clock.advance(3_599_000);
    expect(sink.received).toHaveLength(before);
    await clock.advance(1_000);
    const posts = await sink.count(before + 2);
    expect(posts.slice(before).map(({ body }) => body.events.length)).toEqual([1, 1]);
    await expect.poll(shown).toMatchObject({ consecutive_failures: 0, paused_until: null });
  });

  test('a message of priority 4 waits until the last post is two seconds old', async () => {
    const { sink, clock, send, shown } = await scene();
    await send({ priority: 4 });
    await sink.count(1);
    await expect.poll(async () => (await shown())?.last_dispatched_event_id).not.toBeNull();
    await send({ priority: 4 });
    await send({ priority: 4 });
    await clock.advance(1_999);
    expect(sink.received).toHaveLength(1);
    await clock.advance(1);
    const posts = await sink.count(2);
    expect(posts[1]?.body.events).toHaveLength(2);
  });

  test('an endpoint that was away for longer than events are kept goes on with the new ones', async () => {
    const { sink, clock, max, send, shown } = await scene();
    sink.answer = () => 500;
    await send();
    await expect.poll(shown).toMatchObject({ consecutive_failures: 1 });
    for (let day = 0; day < 8; day += 1) await clock.leap(86_400_000);
    await expect.poll(async () => (await max.events('to')).events).toEqual([]);
    sink.answer = () => 204;
    await clock.leap(3_600_000);
    await expect.poll(shown).toMatchObject({ consecutive_failures: 0, last_dispatched_at: null });
    const before = sink.received.length;
    const sent = await send();
    const posts = await sink.count(before + 1);
    expect(posts.at(-1)?.body.events.map(({ payload }) => payload['message_id'])).toEqual([sent.id]);
  });

  test('ends with the subscription', async () => {
    const { sink, clock, max, subscription, send, shown } = await scene();
    sink.answer = () => 500;
    await send();
    await sink.count(1);
    await expect.poll(shown).toMatchObject({ consecutive_failures: 1 });
    await max.detach('to', subscription.id);
    await clock.leap(3_600_000);
    await send();
    await clock.advance(1_000);
    expect(sink.received).toHaveLength(1);
  });

  test('its secret lies sealed and its posts are not followed elsewhere', async () => {
    const { sink, subscription, send, server, shown } = await scene();
    sink.answer = () => ({ status: 302, headers: { Location: '/elsewhere' } });
    await send();
    await expect.poll(shown).toMatchObject({ consecutive_failures: 1 });
    expect(sink.received.map(({ path }) => path)).toEqual(['/hook']);
    expect(JSON.stringify(server.logs)).not.toContain(subscription.webhook_secret);
  });
});
