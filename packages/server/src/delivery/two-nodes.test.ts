import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { People } from '../identity/testing/people.ts';
import { SseReader } from '../testing/sse-reader.ts';
import { freshTables, missingPostgres } from '../testing/databases.ts';
import { missingRedis, startRedis } from '../testing/redis.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';
import { expectStatus } from './testing/agent-client.ts';
import { MessageClient } from './testing/message-client.ts';
import { winners } from './testing/winners.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const TOKEN = '01J9ZQ4M8N6R2T5V7X9A1B3C5D';

const many = <Made>(make: (n: number) => Promise<Made>, length = 40): Promise<Made[]> =>
  Promise.all(Array.from({ length }, (_, n) => make(n)));

const parked = (node: TestServer): Promise<void> =>
  expect.poll(() => node.context.hub.waiters.parked).toBe(1);

const statuses = (answers: readonly { status: number }[]): string[] =>
  answers.map(({ status }) => String(status)).toSorted();

const missing = missingPostgres() ?? missingRedis();
const title = 'delivery › two servers on one store';

/** Each has a Redis of its own, so nothing carries hints between these two: what they know of each other is in the store. */
describe.skipIf(missing)(
  missing ? `${title}: PostgreSQL or Redis is not available: ${missing}` : title,
  () => {
    const clock = new FakeClock();
    const cleanups: (() => Promise<void>)[] = [];
    let sink: WebhookSink<{ id: string }>;
    let join: () => Promise<TestServer>;
    let nodes: readonly [TestServer, TestServer];
    let one: MessageClient;
    let two: MessageClient;
    let slug: string;
    let count = 0;

    beforeAll(async () => {
      sink = await new WebhookSink<{ id: string }>().listen();
      const place = await freshTables();
      cleanups.push(
        () => place.remove(),
        () => sink.close(),
      );
      join = async () => {
        const redis = await startRedis();
        cleanups.push(() => redis.stop());
        const node = await startServer({
          redisUrl: redis.url,
          clock,
          databaseUrl: place.at.url,
          secretKey: '5'.repeat(64),
          rateLimits: false,
          callbackAllow: [sink.host],
          // Longer than the looks that an attempt has to outlast.
          dlWebhookTimeoutMs: 10 * MINUTE,
        });
        cleanups.push(() => node.close());
        return node;
      };
      nodes = [await join(), await join()];
      one = await MessageClient.register(nodes[0], 'max@example.com');
      two = new MessageClient(new People(nodes[1]), one.owner);
    });

    afterAll(async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup();
    });

    beforeEach(async () => {
      sink.received.length = 0;
      sink.answer = () => 204;
      slug = `agent-${++count}`;
      await one.create({
        slug,
        delivery_capabilities: ['live', 'bg', 'webhook', 'inbox'],
        webhook_url: sink.url(),
      });
    });

    const either = (n: number): MessageClient => (n % 2 === 0 ? one : two);
    const settled = (ids: readonly string[], state: string): Promise<void> =>
      expect
        .poll(async () => new Set((await Promise.all(ids.map((id) => one.message(id)))).map((m) => m.state)))
        .toEqual(new Set([state]));

    describe('work', () => {
      test('that both reach for is given to one', async () => {
        const sent = await many((n) => either(n).send(slug, { delivery_mode: 'bg' }));
        for (const { execution_id: id } of sent) {
          const answers = await Promise.all([one.claim(id, 'w1'), two.claim(id, 'w2')]);
          expect(statuses(answers)).toEqual(['200', '409']);
          const taker = answers[0]?.status === 200 ? 'w1' : 'w2';
          expect(await one.execution(id)).toMatchObject({ attempts: 1, claimed_by_worker: taker });
        }
      });

      test('is given out to the last piece, each once', async () => {
        const sent = await many((n) => either(n).send(slug, { delivery_mode: 'bg' }));
        const taken = await many(async (n) => {
          const body = { worker_id: `w${n}`, agent: slug };
          const answer = await either(n).call<{ execution_id: string }>('POST', '/v1/executions/claim', {
            body,
          });
          return expectStatus(200, answer).execution_id;
        });
        expect(taken.toSorted()).toEqual(sent.map(({ execution_id: id }) => id).toSorted());
      });
    });

    test('an offer is taken once, whoever claims, lets it lapse or detaches, and where', async () => {
      const seen = new Set<string>();
      const racers = await many(async (n) => {
        const { slug: racer } = await one.create({
          slug: `${slug}-${n}`,
          delivery_capabilities: ['live', 'bg', 'inbox'],
        });
        await either(n).attach(racer, { session_token: TOKEN });
        const { execution_id: id } = await either(n + 1).send(racer, { delivery_mode: 'live' });
        return { racer, id };
      });
      const raced = racers.map(({ racer, id }, n) => {
        const acts = [
          () => either(n).claim(id),
          () => either(n + 1).liveClaim(id, { session_token: TOKEN }),
          () => either(n).session('DELETE', racer, 'main'),
        ];
        return Promise.all(acts.map((_, at) => acts[(at + n) % acts.length]?.()));
      });
      await Promise.all([...raced, clock.advance(30 * SECOND)]);
      for (const { id } of racers) {
        const execution = await two.execution(id);
        const took = winners(execution);
        seen.add(took.join(' '));
        const claims = took.filter((winner) => winner !== 'fallback');
        expect(took.length - claims.length, took.join(' ')).toBeLessThanOrEqual(1);
        expect(claims.length, took.join(' ')).toBeLessThanOrEqual(1);
        expect(execution.attempts).toBe(claims.length);
      }
      expect(seen.size).toBeGreaterThan(1);
    });

    test('an offer that nobody takes lapses once', async () => {
      await two.attach(slug);
      const sent = await many((n) => either(n).send(slug, { delivery_mode: 'live' }), 10);
      await clock.advance(30 * SECOND);
      for (const { execution_id: id } of sent) {
        await expect.poll(async () => winners(await one.execution(id))).toEqual(['fallback']);
      }
      await clock.advance(30 * SECOND);
      for (const { execution_id: id } of sent) expect(winners(await one.execution(id))).toEqual(['fallback']);
    });

    test('a key that comes to both at once stores one message', async () => {
      const answers = await many((n) =>
        either(n).trySend({ to: slug, body: 'once' }, { 'Idempotency-Key': `key of ${slug}` }),
      );
      expect(statuses(answers)).toEqual([...Array<string>(39).fill('200'), '201']);
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    });

    test('a message set for a time is sent once', async () => {
      const sendAt = new Date(clock.now() + MINUTE).toISOString();
      const sent = await many((n) => either(n).send(slug, { delivery_mode: 'webhook', send_at: sendAt }), 10);
      await clock.advance(MINUTE);
      const ids = sent.map(({ id }) => id);
      await settled(ids, 'delivered');
      expect(sink.received.map(({ body }) => body.id).toSorted()).toEqual(ids.toSorted());
    });

    describe('webhooks', () => {
      test('under way are not sent by the other, however often it looks', async () => {
        const held: (() => void)[] = [];
        sink.answer = () => new Promise((resolve) => held.push(() => resolve(204)));
        const sent = await many((n) => either(n).send(slug, { delivery_mode: 'webhook' }));
        await sink.count(sent.length);
        for (let look = 0; look < 4; look++) await clock.advance(MINUTE);
        for (const answer of held) answer();
        const ids = sent.map(({ id }) => id);
        await settled(ids, 'delivered');
        expect(sink.received.map(({ body }) => body.id).toSorted()).toEqual(ids.toSorted());
      });

      test('are tried again by one of them', async () => {
        sink.answer = (_, before) => (before < 20 ? 503 : 204);
        const sent = await many((n) => either(n).send(slug, { delivery_mode: 'webhook' }), 20);
        const ids = sent.map(({ id }) => id);
        await settled(ids, 'retry_ready');
        await clock.advance(2 * MINUTE);
        await settled(ids, 'delivered');
        await clock.advance(5 * MINUTE);
        expect(sink.received).toHaveLength(40);
      });

      test('of one that went away are taken over', async () => {
        sink.answer = (_, before) => (before === 0 ? 503 : 204);
        const leaving = await join();
        const third = new MessageClient(new People(leaving), one.owner);
        const { id } = await third.send(slug, { delivery_mode: 'webhook' });
        await settled([id], 'retry_ready');
        await leaving.close();
        for (let look = 0; look < 3; look++) await clock.advance(MINUTE);
        await settled([id], 'delivered');
        expect(sink.received).toHaveLength(2);
      });
    });

    describe('what comes through the other is seen within seconds', () => {
      test('by a held inbox', async () => {
        const held = two.inbox(slug, { wait: 25 });
        await parked(nodes[1]);
        const { id } = await one.send(slug, { delivery_mode: 'inbox' });
        await clock.advance(5_250);
        expect(await held).toMatchObject({ messages: [{ id, state: 'delivered' }] });
      });

      test('by a held list of work', async () => {
        const held = two.claimable({ agent: slug, wait: 25 });
        await parked(nodes[1]);
        const { execution_id: id } = await one.send(slug, { delivery_mode: 'bg' });
        await clock.advance(5_250);
        expect(await held).toMatchObject([{ execution_id: id }]);
      });

      test('by a sender that waits for what becomes of its offer', async () => {
        await one.attach(slug, { session_token: TOKEN, task_name: `${slug}-live` });
        const held = one.send(slug, { delivery_mode: 'live' }, { Prefer: 'wait=20' });
        await parked(nodes[0]);
        const [offer] = await two.claimable({ task: `${slug}-live` });
        await two.liveClaim(offer?.execution_id ?? '', { session_token: TOKEN });
        await clock.advance(5_250);
        expect(await held).toMatchObject({ state: 'claimed', delivery_route: 'live' });
      });

      test('by a live session on its stream, which ends when the session does', async () => {
        await one.attach(slug);
        const path = `/v1/agents/${slug}/live-sessions/main/stream`;
        const stream = await SseReader.open(nodes[1], path, { key: one.owner.key });
        const { execution_id: id } = await one.send(slug, { delivery_mode: 'live' });
        await clock.advance(5_250);
        await stream.event('offer');
        expect(stream.frames.find(({ event }) => event === 'offer')?.data.execution_id).toBe(id);
        await one.session('DELETE', slug, 'main');
        await clock.advance(5_250);
        await stream.ended();
      });

      test('by an agent on its stream, each once and in order', async () => {
        const { body } = await one.call<{ api_key: string }>('POST', '/v1/keys', { body: { agent: slug } });
        const stream = await SseReader.open(nodes[1], '/v1/agent/stream?include=messages', {
          key: body.api_key,
        });
        // Once this has come, so has whatever waited.
        const sent = [(await two.send(slug, { delivery_mode: 'inbox' })).id];
        await stream.event('message.wake');
        for (let n = 0; n < 6; n++) {
          sent.push((await either(n).send(slug, { delivery_mode: 'inbox' })).id);
          await clock.advance(1);
        }
        await clock.advance(5_250);
        await stream.event('message.wake', sent.length);
        const woken = stream.frames
          .filter(({ event }) => event === 'message.wake')
          .map(({ data }) => data.message_id);
        // Its own node tells of what it stored at once, the look finds the rest.
        const [first, a1, b1, a2, b2, a3, b3] = sent;
        expect(woken).toEqual([first, b1, b2, b3, a1, a2, a3]);
        stream.close();
      });
    });
  },
);
