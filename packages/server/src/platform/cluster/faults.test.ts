import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Memory } from '../../continuity/testing/memory.ts';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { People } from '../../identity/testing/people.ts';
import { RoomAgent, RoomClient } from '../../rooms/testing/room-client.ts';
import { Channel, ChannelClient, Peer } from '../../testing/channel-client.ts';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { type NodeProcess as Node, startNodeProcess, told } from '../../testing/node-process.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { missingRedis, startRedis, type TestRedis } from '../../testing/redis.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { WebhookSink } from '../../testing/webhook-sink.ts';
import { listNodes } from './membership.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'three nodes, killed, frozen and without Redis';

const LEASE_MS = 3_000;
/** What is promised, and how much later than that it may be seen here: these machines do other things too. */
const PROMISED = {
  takenOverMs: LEASE_MS + 5_000,
  singletonMs: 10_000,
  heardMs: 6_000,
  backMs: 2_000,
  leftMs: 1_000,
};
const TIMES = 3;

/** Programs of their own, so that they can be killed and frozen. */
describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  let redis: TestRedis;
  let sink: WebhookSink;
  let start: (name: string) => Promise<Node>;
  let nodes: [Node, Node, Node];
  let owner: MessageClient['owner'];
  let database: Database;
  beforeAll(async () => {
    redis = await startRedis();
    cleanups.push(() => redis.stop());
    const place = await freshTables();
    cleanups.push(() => place.remove());
    database = await openDatabase(place.at);
    cleanups.push(() => database.close());
    sink = await new WebhookSink().listen();
    cleanups.push(() => sink.close());
    const folder = mkdtempSync(join(tmpdir(), 'parley-nodes-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    start = async (name) => {
      const node = await startNodeProcess({
        databaseUrl: place.at.url,
        redisUrl: redis.url,
        secretKey: '7'.repeat(64),
        rateLimits: false,
        dataDir: join(folder, name),
        nodeUrl: `http://${name}.test`,
        memoryMirror: join(folder, 'mirror'),
        callbackAllow: [sink.host],
        jobLeaseMs: LEASE_MS,
        stopDelayMs: PROMISED.leftMs * TIMES,
      });
      cleanups.push(() => node.child.kill());
      return node;
    };
    const [one, two, three] = [await start('one'), await start('two'), await start('three')];
    nodes = [one, two, three];
    ({ owner } = await MessageClient.register(nodes[0]));
  }, 60_000);
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  const at = ({ url }: Node): MessageClient => new MessageClient(new People({ url }), owner);
  const inbox = async (node: Node, slug: string): Promise<string[]> =>
    (await at(node).inbox(slug)).messages.map(({ id }) => id);

  const listed = async (): Promise<number> => (await listNodes(database.read)).length;

  test('kill -9: nothing acknowledged is lost, and what it did is done by another, soon', async () => {
    const [one, two, three] = nodes;
    await at(one).create({ slug: 'kay' });
    await at(one).create({ slug: 'hook', webhook_url: sink.url() });
    expect(told(one, 'singleton_taken')).toMatchObject([{ name: 'memory mirror' }]);

    const near = await new ChannelClient(one).create();
    const peer = await near.join('a');
    const far = new Channel(new ChannelClient(two), near.id, near.token);
    // Nobody answers its webhook: it dies in the middle of the attempt.
    sink.answer = () => 'never';
    await at(one).send('hook', { delivery_mode: 'webhook' });
    await sink.count(1);
    sink.answer = () => 204;
    const soon = new Date(Date.now() + 1_500).toISOString();
    const later = await at(one).send('kay', { send_at: soon });
    const acknowledged: string[] = [];
    const indexes: number[] = [];
    const load = (async () => {
      for (let count = 0; ; count++) {
        acknowledged.push((await at(one).send('kay', { body: `message ${count}` })).id);
        indexes.push((await peer.send(`event ${count}`)).body.index);
      }
    })().catch(() => undefined);
    await expect.poll(() => indexes.length).toBeGreaterThan(5);
    await one.child.kill();
    const died = performance.now();
    await load;

    const moved = new Peer(far, 'a', peer.id, peer.cursor);
    const { body } = await moved.poll({ since: 1 });
    expect(body.messages.map(({ index }) => index)).toEqual(body.messages.map((_, place) => place + 1));
    expect(body.messages.length).toBeGreaterThanOrEqual(indexes.length);
    await expect.poll(() => inbox(two, 'kay')).toContain(later.id);
    const found = await inbox(three, 'kay');
    expect(found).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(found).size).toBe(found.length);

    const taken = () => [two, three].flatMap((node) => told(node, 'singleton_taken'));
    await expect.poll(() => taken().length).toBe(1);
    expect(performance.now() - died).toBeLessThan(PROMISED.singletonMs * TIMES);
    const [hook, again] = await sink.count(2);
    expect(again?.text).toBe(hook?.text);
    expect((again?.at ?? 0) - died).toBeLessThan(PROMISED.takenOverMs * TIMES);
    await expect.poll(() => [two, three].flatMap((node) => told(node, 'node_gone')).length).toBe(1);
    nodes = [await start('one'), two, three];
  }, 90_000);

  test('frozen for longer than its leases: others go on, and it does nothing twice when it wakes', async () => {
    const [one, two, three] = nodes;
    const holder = [two, three].find((node) => told(node, 'singleton_taken').length > 0) ?? two;
    const others = nodes.filter((node) => node !== holder);
    const [before] = told(holder, 'singleton_taken');
    await at(one).create({ slug: 'ice' });
    const soon = new Date(Date.now() + 1_000).toISOString();
    const due = await Promise.all(Array.from({ length: 5 }, () => at(holder).send('ice', { send_at: soon })));
    holder.child.process.kill('SIGSTOP');
    const [other = one] = others;
    await expect.poll(async () => (await inbox(other, 'ice')).length).toBe(due.length);
    const taken = () => others.flatMap((node) => told(node, 'singleton_taken'));
    await expect.poll(() => taken().length).toBe(1);
    expect(Number(taken()[0]?.fence)).toBeGreaterThan(Number(before?.fence));
    holder.child.process.kill('SIGCONT');
    await expect.poll(() => told(holder, 'singleton_lost').length).toBe(1);
    expect((await inbox(holder, 'ice')).toSorted()).toEqual(due.map(({ id }) => id).toSorted());
    expect(taken()).toHaveLength(1);
  }, 90_000);

  test('frozen while its webhook is under way: another sends it within the lease, and what it then hears counts no more', async () => {
    const [one] = nodes;
    await at(one).create({ slug: 'frozen-hook', webhook_url: sink.url('/frozen') });
    const { hooks, refuse } = heldUp(sink);
    const { id } = await at(one).send('frozen-hook', { delivery_mode: 'webhook' });
    await expect.poll(() => hooks().length).toBe(1);
    const busy = await Promise.all(nodes.map(underWay));
    const sender = nodes[busy.indexOf(1)] ?? one;
    const [other = one] = nodes.filter((node) => node !== sender);
    sender.child.process.kill('SIGSTOP');
    await expect.poll(() => hooks().length).toBe(2);
    expect(hooks()[1]?.text).toBe(hooks()[0]?.text);
    const state = async (node: Node) =>
      (await at(node).call<{ state: string }>('GET', `/v1/messages/${id}`)).body.state;
    await expect.poll(() => state(other)).toBe('delivered');

    refuse();
    sender.child.process.kill('SIGCONT');
    await expect.poll(() => underWay(sender)).toBe(0);
    expect(await state(sender)).toBe('delivered');
    expect(hooks()).toHaveLength(2);
    const holding = () =>
      nodes.filter((node) => told(node, 'singleton_taken').length > told(node, 'singleton_lost').length);
    await expect.poll(() => holding().length).toBe(1);
  }, 90_000);

  test('Redis gone: all but channels goes on, hints take seconds; back: all is well at once', async () => {
    const [one, two] = nodes;
    await at(one).create({ slug: 'red' });
    const { a, b, id: room } = await new RoomClient(one).room();
    const events = await SseReader.open(two, '/v1/continuity/events', { key: owner.key });
    await events.until(({ text }) => text.includes('retry'));
    await redis.kill();
    // Held for 25 s: without a look of its own it would come back empty.
    const polled = at(two).inbox('red', { wait: 25 });
    const health = async () => (await (await fetch(`${two.url}/health`)).json()) as Record<string, unknown>;
    await expect.poll(health).toMatchObject({ redis: 'away' });
    expect((await fetch(`${two.url}/ready`)).status).toBe(200);
    const create = async () => {
      const answer = await fetch(`${two.url}/channels`, { method: 'POST' });
      return `${answer.status} ${answer.headers.get('retry-after')}`;
    };
    expect(await create()).toBe('503 1');
    const sent = performance.now();
    const { id } = await at(one).send('red');
    await new Memory(new People(one), { id: owner.id, key: owner.key }).store('user', 'red');
    expect((await polled).messages).toMatchObject([{ id }]);
    await events.event('capsule');
    expect(performance.now() - sent).toBeLessThan(PROMISED.heardMs * TIMES);
    events.close();
    await a.send(room, 'said at one');
    await new RoomAgent(new RoomClient(two), b.id, b.apiKey, b.session).send(room, 'answered at two');
    const soon = { type: 'once', at: new Date(Date.now() + 500).toISOString() };
    const cue = await at(one).call<{ id: string }>('POST', '/v1/cues', {
      body: { name: 'without Redis', schedule: soon, transport: 'worker' },
    });
    const fired = async () =>
      (await at(two).call<{ execution_total: number }>('GET', `/v1/cues/${cue.body.id}`)).body
        .execution_total;
    await expect.poll(fired).toBe(1);

    await redis.startAgain();
    const back = performance.now();
    await expect.poll(create).toBe('200 null');
    await expect.poll(health).toMatchObject({ redis: 'ok' });
    expect(performance.now() - back).toBeLessThan(PROMISED.backMs * TIMES);
  }, 90_000);

  test('told to stop: what it holds passes on at once, and it leaves the list', async () => {
    const stopping = nodes.find(
      (node) => told(node, 'singleton_taken').length > told(node, 'singleton_lost').length,
    );
    const staying = nodes.filter((node) => node !== stopping);
    const taken = () => staying.flatMap((node) => told(node, 'singleton_taken')).length;
    const before = taken();
    const count = async () =>
      ((await (await fetch(`${staying[0]?.url}/health`)).json()) as { nodes: number }).nodes;
    await expect.poll(count).toBe(3);
    await expect.poll(listed).toBe(3);
    const ended = stopping && once(stopping.child.process, 'exit');
    stopping?.child.process.kill('SIGTERM');
    // It leaves the list within a second, before it ends what it began: it goes on serving for three.
    await expect.poll(listed).toBe(2);
    expect(stopping?.child.process.exitCode).toBeNull();
    expect(await ended).toEqual([0, null]);
    await expect.poll(taken).toBe(before + 1);
    await expect.poll(count).toBe(2);
  }, 60_000);
});

/** Webhooks that a node has sent and not yet heard of. */
async function underWay({ url }: Node): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^parley_delivery_webhooks_running (\d+)/m.exec(text)?.[1]);
}

/** The first to a path of its own is answered when it is told so, and badly; the next is taken. */
function heldUp(sink: WebhookSink) {
  const waiting: ((status: number) => void)[] = [];
  const refused = new Promise<number>((resolve) => waiting.push(resolve));
  const refuse = (): void => {
    for (const tell of waiting) tell(500);
  };
  const hooks = () => sink.received.filter(({ path }) => path === '/frozen');
  sink.answer = async ({ path }) => (path === '/frozen' && hooks().length === 1 ? await refused : 204);
  return { hooks, refuse };
}
