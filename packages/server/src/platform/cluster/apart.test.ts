import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { People } from '../../identity/testing/people.ts';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { type NodeProcess, startNodeProcess, told } from '../../testing/node-process.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';
import { TcpGate } from '../../testing/tcp-gate.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'three nodes whose clocks are five minutes apart';
const MINUTES_5 = 300_000;
const SOON_MS = 4_000;
/** As near as two clocks can be told to be the same. */
const CLOSE_MS = 100;

const ready = async ({ url }: NodeProcess): Promise<number> => (await fetch(`${url}/ready`)).status;

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  let gate: TcpGate;
  /** The clock of this machine; five minutes ahead; five minutes behind, and behind a gate. */
  let nodes: [NodeProcess, NodeProcess, NodeProcess];
  let owner: MessageClient['owner'];
  beforeAll(async () => {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const place = await freshTables();
    cleanups.push(() => place.remove());
    const direct = new URL(place.at.url);
    gate = new TcpGate(direct.hostname, Number(direct.port));
    cleanups.push(() => gate.close());
    const gated = new URL(direct);
    gated.port = String(await gate.open());
    const folder = mkdtempSync(join(tmpdir(), 'parley-nodes-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const start = async (name: string, url: URL, clockOffMs: number): Promise<NodeProcess> => {
      const node = await startNodeProcess({
        databaseUrl: url.href,
        redisUrl: redis.url,
        secretKey: '7'.repeat(64),
        rateLimits: false,
        dataDir: join(folder, name),
        jobLeaseMs: 3_000,
        dbStatementTimeoutMs: 2_000,
        clockOffMs,
      });
      cleanups.push(() => node.child.kill());
      return node;
    };
    nodes = [
      await start('one', direct, 0),
      await start('two', direct, MINUTES_5),
      await start('three', gated, -MINUTES_5),
    ];
    ({ owner } = await MessageClient.register(nodes[0]));
  }, 60_000);
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  const at = ({ url }: NodeProcess): MessageClient => new MessageClient(new People({ url }), owner);
  const totalOf = async (node: NodeProcess, cue: string) =>
    (await at(node).call<{ execution_total: number }>('GET', `/v1/cues/${cue}`)).body.execution_total;

  test('what is due goes by the clock of the database: nothing early, nothing lost, nothing twice', async () => {
    const [one, two, three] = nodes;
    expect(nodes.map((node) => told(node, 'clock_differs').length)).toEqual([0, 1, 1]);
    await at(one).create({ slug: 'bo' });
    const items: { message: string; cue: string; due: number }[] = [];
    for (const [index, node] of nodes.entries()) {
      const due = Date.now() + SOON_MS;
      const time = new Date(due).toISOString();
      const { id: message } = await at(node).send('bo', { send_at: time });
      const body = { name: `soon ${index}`, schedule: { type: 'once', at: time }, transport: 'worker' };
      const made = await at(node).call<{ id: string }>('POST', '/v1/cues', { body });
      expect(made.status).toBe(201);
      items.push({ message, cue: made.body.id, due });
    }
    const inbox = async () => (await at(two).inbox('bo')).messages.map(({ id }) => id);
    const early: string[] = [];
    const look = async () => {
      const found = await inbox();
      const fired = await Promise.all(items.map(({ cue }) => totalOf(three, cue)));
      const now = Date.now();
      for (const [index, { message, cue, due }] of items.entries()) {
        if (now >= due - CLOSE_MS) continue;
        if (found.includes(message)) early.push(message);
        if (fired[index] !== 0) early.push(cue);
      }
      return [found.length, ...fired];
    };
    await expect.poll(look).toEqual([3, 1, 1, 1]);
    expect(early).toEqual([]);
    const messages = items.map(({ message }) => message);
    expect((await inbox()).toSorted()).toEqual(messages.toSorted());
  }, 60_000);

  test('one that is cut off from PostgreSQL says so within five seconds, lives on, and comes back by itself', async () => {
    const [one, , three] = nodes;
    await at(one).create({ slug: 'cut' });
    const soon = new Date(Date.now() + 500).toISOString();
    const { id } = await at(three).send('cut', { send_at: soon });
    gate.shut();
    const shut = performance.now();
    await expect.poll(() => ready(three)).toBe(503);
    expect(performance.now() - shut).toBeLessThan(5_000);
    expect((await fetch(`${three.url}/health`)).status).toBe(200);
    expect(await ready(one)).toBe(200);
    // What it would have sent is sent by another.
    const inbox = async () => (await at(one).inbox('cut')).messages;
    await expect.poll(inbox).toMatchObject([{ id }]);

    gate.lift();
    await expect.poll(() => ready(three)).toBe(200);
    const { id: after } = await at(three).send('cut');
    expect((await inbox()).map((message) => message.id).toSorted()).toEqual([id, after].toSorted());
  }, 90_000);
});
