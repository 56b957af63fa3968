import { WEBHOOK_TIMEOUT_MS } from '@parley/protocol/rooms/limits';
import { expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { systemRandom } from '../../platform/ids.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { pass } from '../testing/pass-time.ts';
import { talk } from '../testing/room-client.ts';
import { counted, hook, hookScenes, jobs, outcome, settled, START } from './testing/hook-scene.ts';

describeEachServer('rooms › webhooks › retries', (start) => {
  const scene = hookScenes(start);

  test('are retried on the stated schedule with the same id, and dead after eight attempts', async () => {
    const { clock, server, sink, client } = await scene();
    const room = await client.room({ ttl_seconds: 7200 });
    await hook(room.b, sink.url());
    sink.answer = (_hook, before) => (['hang up', 500, 408, 429, 302] as const)[before] ?? 503;
    await room.a.send(room.id, 'hello');
    const waits: number[] = [];
    for (let attempt = 1; attempt < 8; attempt++) {
      await sink.count(attempt);
      await settled(server, attempt);
      const [job] = await jobs(server);
      const wait = (job?.due_at ?? 0) - clock.now();
      waits.push(wait / 1000);
      await clock.advance(wait - 1);
      expect(sink.received).toHaveLength(attempt);
      await clock.advance(1);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300]);
    await sink.count(8);
    await expect.poll(async () => (await jobs(server))[0]?.dead_at !== null).toBe(true);
    await clock.advance(600_000);
    expect(sink.received).toHaveLength(8);
    expect(new Set(sink.received.map(({ text }) => text)).size).toBe(1);
    const stamps = sink.received.map(({ headers }) => Number(headers['x-parley-timestamp']) - START / 1000);
    expect(stamps).toEqual([0, 5, 15, 35, 75, 155, 315, 615]);
    expect([await outcome(client, 'retried'), await outcome(client, 'dead')]).toEqual([7, 1]);
  });

  test.each([
    [30_000, 30_000],
    [2_000, 2_000],
    [600_000, 30_000],
  ])('one under way is held as job_lease_ms says, never for long: %i', async (jobLeaseMs, heldMs) => {
    const { clock, server, sink, client } = await scene({ jobLeaseMs });
    const room = await client.room();
    await hook(room.b, sink.url());
    sink.answer = () => 'never';
    await room.a.send(room.id, 'hello');
    await sink.count(1);
    const { read } = server.context.database;
    const held = sql`SELECT wake_at FROM jobs WHERE kind = 'room-webhook' AND leased_by IS NOT NULL`;
    expect(await read.value<number>(held)).toBe(clock.now() + heldMs);
    await sink.close();
  });

  test('one that was taken over meanwhile says nothing of its endpoint', async () => {
    const { clock, server, sink, client } = await scene();
    const room = await client.room();
    await hook(room.b, sink.url());
    sink.answer = () => 'never';
    await room.a.send(room.id, 'hello');
    await sink.count(1);
    const { database, jobs: queue } = server.context;
    await database.write((tx) =>
      tx.run(sql`UPDATE jobs SET leased_by = 'another' WHERE leased_by IS NOT NULL`),
    );
    await clock.advance(WEBHOOK_TIMEOUT_MS);
    // Once the attempt is over.
    await queue.stop();
    expect(await database.read.all(sql`SELECT failed FROM webhook_results`)).toEqual([]);
    await sink.close();
  });

  test('add up to a quarter to each wait', async () => {
    const { clock, server, sink, client } = await scene({ random: { ...systemRandom, unit: () => 0.999 } });
    const room = await client.room();
    await hook(room.b, sink.url());
    sink.answer = () => 500;
    await room.a.send(room.id, 'hello');
    await sink.count(1);
    await settled(server, 1);
    const [job] = await jobs(server);
    expect((job?.due_at ?? 0) - clock.now()).toBeCloseTo(6249, -1);
  });

  test('are dead at once when the receiver refuses them, and the next goes on', async () => {
    const { server, sink, client } = await scene();
    const room = await client.room({ max_turns: 6 });
    await hook(room.b, sink.url());
    sink.answer = (_hook, before) => [400, 410, 404][before] ?? 200;
    await talk(room, 5);
    await sink.count(3);
    await expect.poll(async () => (await jobs(server)).every(({ dead_at }) => dead_at !== null)).toBe(true);
    expect((await jobs(server)).map(({ attempts, last_error }) => [attempts, last_error])).toEqual([
      [1, 'answered 400'],
      [1, 'answered 410'],
      [1, 'answered 404'],
    ]);
    await counted(client, 'dead', 3);
  });

  test('are not redirected anywhere', async () => {
    const { server, sink, client } = await scene();
    const room = await client.room();
    await hook(room.b, sink.url());
    sink.answer = () => ({ status: 307, headers: { location: sink.url('/elsewhere') } });
    await room.a.send(room.id, 'hello');
    await sink.count(1);
    await settled(server, 1);
    expect(sink.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  test('left hanging for 30 s are taken over by another node', async () => {
    const { clock, server, sink, client } = await scene();
    const room = await client.room();
    await hook(room.b, sink.url());
    let release: (() => void) | undefined;
    sink.answer = (_hook, before) =>
      before === 0 ? new Promise((resolve) => (release = () => resolve(200))) : 200;
    await room.a.send(room.id, 'hello');
    await sink.count(1);
    // As if the node that holds the claim had died: its renewals stop.
    await server.context.database.write((tx) =>
      tx.run(sql`UPDATE jobs SET leased_by = 'a node that died' WHERE kind = 'room-webhook'`),
    );
    await pass({ clock, server }, 60_000, () => sink.received.length === 2);
    expect(clock.now() - START).toBeGreaterThanOrEqual(30_000);
    const [one, two] = sink.received;
    expect(two?.body).toEqual(one?.body);
    release?.();
  });
});
