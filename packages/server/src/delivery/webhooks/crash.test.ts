import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { type Child, startChild } from '../../testing/child-program.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { WebhookSink } from '../../testing/webhook-sink.ts';
import { MessageClient } from '../testing/message-client.ts';
import type { PostedMessage } from './testing/scene.ts';

/** Longer than an attempt may be left lying. */
const DOWN_MS = 301_000;

interface EventPost {
  readonly delivery_id: string;
  readonly events: readonly { readonly id: number }[];
}

/** A server that is cut off now and then and comes back, elsewhere and later. */
class Phoenix {
  readonly #settings: string;
  #child: Child | undefined;
  #lives = 0;
  url = '';

  constructor(settings: object) {
    this.#settings = JSON.stringify(settings);
  }

  async rise(): Promise<void> {
    this.#child = await startChild('serve-delivery', [this.#settings, String(DOWN_MS * this.#lives++)]);
    this.url = await this.#child.until((line) => line.startsWith('http'));
  }

  async die(): Promise<void> {
    await this.#child?.kill();
  }
}

const deliveryIds = ({ received }: WebhookSink<PostedMessage>, id: string): string[] =>
  received.filter(({ body }) => body.id === id).map(({ headers }) => String(headers['x-cueapi-delivery-id']));

describeEachDatabase('delivery › webhooks › kill -9', (_open, { location }) => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  const scene = async (settings: object = {}) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-crash-'));
    cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const at = await location();
    const sink = await new WebhookSink<PostedMessage>().listen();
    cleanups.push(() => sink.close());
    const all = { dataDir, rateLimits: false, callbackAllow: [sink.host], ...settings };
    const phoenix = new Phoenix('url' in at ? { ...all, databaseUrl: at.url } : all);
    cleanups.push(() => phoenix.die());
    await phoenix.rise();
    const { owner } = await MessageClient.register(phoenix);
    const client = (): MessageClient => new MessageClient(new People(phoenix), owner);
    await client().create({ slug: 'sink', webhook_url: sink.url() });
    const send = async (): Promise<string> =>
      (await client().send('sink', { from: 'sink', delivery_mode: 'webhook' })).id;
    const delivered = (id: string): Promise<void> =>
      expect.poll(async () => (await client().message(id)).state).toBe('delivered');
    return { sink, phoenix, client, send, delivered };
  };

  test('between queueing and the attempt: it is sent, once', async () => {
    const { sink, phoenix, client, send, delivered } = await scene({ dlDeliveriesPerOwner: 1 });
    sink.answer = () => 'never';
    const first = await send();
    await sink.count(1);
    // The only place is taken: this one stays where it was stored.
    const second = await send();
    expect(await client().message(second)).toMatchObject({ state: 'queued' });
    await phoenix.die();
    sink.answer = () => 204;
    await phoenix.rise();
    await delivered(second);
    await delivered(first);
    expect(deliveryIds(sink, second)).toHaveLength(1);
    const [cutShort, again] = deliveryIds(sink, first);
    expect(again).toBe(cutShort);
    expect(deliveryIds(sink, first)).toHaveLength(2);
    const { execution_id: executionId } = await client().message(first);
    expect(await client().execution(executionId)).toMatchObject({ attempts: 2, status: 'success' });
  }, 60_000);

  test('before and after the answer, before it is recorded: nothing is lost, repeats say that they are', async () => {
    const { sink, phoenix, client, send, delivered } = await scene();
    const sent: string[] = [];
    for (let round = 0; round < 6; round++) {
      const dead = new Promise<void>((resolve) => {
        sink.answer = async () => {
          // Even rounds die before they hear the answer, odd ones just after.
          if (round % 2 === 0) await phoenix.die();
          else
            void sleep(round)
              .then(() => phoenix.die())
              .then(resolve);
          if (round % 2 === 0) resolve();
          return 204;
        };
      });
      sent.push(await send());
      await dead;
      sink.answer = () => 204;
      await phoenix.rise();
      for (const id of sent) await delivered(id);
    }
    for (const id of sent) {
      const ids = deliveryIds(sink, id);
      expect(new Set(ids).size).toBe(1);
      expect(ids.length).toBeLessThanOrEqual(2);
      const { execution_id: executionId } = await client().message(id);
      const { attempts, status } = await client().execution(executionId);
      expect([attempts, status]).toEqual([ids.length, 'success']);
    }
    // Those of the even rounds cannot have been recorded.
    expect(sink.received.length).toBeGreaterThanOrEqual(sent.length + 3);
  }, 120_000);

  test('while it waits for the next attempt: that comes, as the schedule has it', async () => {
    const { sink, phoenix, client, send, delivered } = await scene();
    sink.answer = () => 503;
    const id = await send();
    await expect.poll(async () => (await client().message(id)).state).toBe('retry_ready');
    await phoenix.die();
    sink.answer = () => 204;
    await phoenix.rise();
    await delivered(id);
    expect(sink.received.map(({ headers }) => headers['x-cueapi-attempt'])).toEqual(['1', '2']);
    expect(new Set(deliveryIds(sink, id)).size).toBe(1);
  }, 60_000);

  test('a last attempt that was cut short is the end, and the message lies in the inbox', async () => {
    const { sink, phoenix, client, send } = await scene();
    sink.answer = () => 'never';
    const id = await send();
    for (let attempt = 1; attempt <= 4; attempt++) {
      await sink.count(attempt);
      await phoenix.die();
      await phoenix.rise();
    }
    await expect.poll(async () => (await client().message(id)).state).toBe('failed');
    expect((await client().inbox('sink')).messages.map((message) => message.id)).toEqual([id]);
    expect(sink.received).toHaveLength(4);
  }, 120_000);

  test('while events are posted: the same again under the same delivery id, then those that came meanwhile', async () => {
    const { sink, phoenix, client } = await scene();
    await client().create({ slug: 'listener' });
    const subscribed = await client().call('POST', '/v1/agents/listener/subscriptions', {
      body: { event_type: 'message.delivered', delivery_target: 'webhook', webhook_url: sink.url('/events') },
    });
    expect(subscribed.status).toBe(201);
    sink.answer = () => 'never';
    await client().send('listener', { from: 'sink' });
    await sink.count(1);
    await client().send('listener', { from: 'sink' });
    await phoenix.die();
    sink.answer = () => 204;
    await phoenix.rise();
    const posts = await sink.count(3);
    const [first, again, next] = posts.map(({ body }) => body as unknown as EventPost);
    expect(again).toEqual(first);
    expect(next?.delivery_id).not.toBe(first?.delivery_id);
    expect([...(first?.events ?? []), ...(next?.events ?? [])].map(({ id }) => id)).toHaveLength(2);
  });
});
