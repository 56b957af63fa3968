import { readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer } from '@parley/server/testing/start-server';
import { afterEach, describe, expect, test } from 'vitest';
import { type CallPoints, KillPoints } from '../aya/testing/kill-points.ts';
import { Desk } from './testing/desk.ts';
import { overlaps, writeRoomProgram } from './testing/room-program.ts';

/** Everything a bridge does between a frame and the end of a run that others can see: by its calls, and by its files. */
const POINTS = [
  'the frame comes',
  'the wake is on disk',
  'it acknowledges',
  'the server took the acknowledgement',
  'it was told that the acknowledgement was taken',
  'it asks whose turn it is',
  'it was told whose turn it is',
  'the start is written down',
  "the program's input is written",
  'the process is written down',
  'it reports the start',
  'the server took the report',
] as const;
type Point = (typeof POINTS)[number];

/** Once at each point; 200 go round again and again, each time a little later after the point. */
const ROUNDS = Number(process.env['PARLEY_TEST_BRIDGE_ROUNDS'] ?? POINTS.length);

function pointsOf(method: string, path: string, body: string): CallPoints<Point> {
  if (path.endsWith('/stream/ack')) {
    return {
      asked: 'it acknowledges',
      taken: 'the server took the acknowledgement',
      told: 'it was told that the acknowledgement was taken',
    };
  }
  if (method === 'GET' && path.endsWith('/state')) {
    return { asked: 'it asks whose turn it is', told: 'it was told whose turn it is' };
  }
  if (!path.endsWith('/wakes') || !body.includes('"invoked"')) return {};
  return { asked: 'it reports the start', taken: 'the server took the report' };
}

describe('parley bridge › kill -9', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('at each step between the frame and the end of the run: no wake is lost, and none runs twice at a time', {
    timeout: 60_000 + ROUNDS * 20_000,
  }, async () => {
    const server = await startServer({ rateLimits: false });
    cleanups.push(() => server.close());
    const points = await new KillPoints<Point>(server.url, 'the frame comes', pointsOf).listen();
    cleanups.push(() => points.close());
    const client = new RoomClient(server);
    const [ann, ben] = await Promise.all([client.agent(), client.agent()]);
    const listing = await ann.list({ topic: 'until it breaks', max_turns: 1000, ttl_seconds: 86_400 });
    const desk = new Desk({ url: server.url, client }, { url: points.url });
    cleanups.push(() => desk.close());
    writeRoomProgram(desk.path('agent.mjs'));
    await desk.setUp(ann.apiKey, [], ['--allow', 'rooms', '--starts-per-hour', '900']);
    const seen = watch(desk.kept(), { recursive: true }, () => {
      for (const step of fileSteps(desk)) void points.reached(step);
    });
    cleanups.push(() => seen.close());

    await desk.serve();
    await expect.poll(() => desk.told()).toContain('stream.connected');
    for (let round = 0; round < ROUNDS; round++) {
      const point = POINTS[round % POINTS.length] ?? 'the frame comes';
      writeFileSync(desk.path('hold'), '');
      let died = Promise.resolve<number | null>(null);
      const killed = points.arm(point, Math.floor(round / POINTS.length), () => {
        died = desk.stop('SIGKILL');
      });
      if (round === 0) await ben.connect(listing.id);
      else await ben.send(listing.room_id, `after ${round} kills`);
      await killed;
      await died;
      await desk.serve();
      // A program that outlived its bridge is held until the next bridge has done what it does at its start.
      await expect.poll(() => desk.told()).toContain('stream.connected');
      await expect.poll(() => points.isQuiet).toBe(true);
      rmSync(desk.path('hold'));
      await expect
        .poll(async () => (await ann.state(listing.room_id)).next_actor_id, {
          timeout: 15_000,
          message: `killed when ${point}`,
        })
        .toBe(ben.id);
      // The next kill is for the next turn.
      await expect.poll(() => queued(desk), { timeout: 15_000 }).toEqual([]);
    }
    const lines = desk.lines('turns');
    expect(overlaps(lines)).toEqual([]);
    const turns = new Set(lines.map((line) => line.split(' ')[1]));
    expect(turns.size).toBe(ROUNDS);
  });
});

/** How far the wake in the queue is, as the files say. Who looks late sees several steps at once. */
function fileSteps(desk: Desk): Point[] {
  const [name] = queued(desk);
  const item = name === undefined ? '' : textOf(desk.kept('queue', name));
  const hasInput = readdirSync(desk.kept('runs')).some((one) => one.endsWith('.in'));
  return [
    ...(item === '' ? [] : (['the wake is on disk'] as const)),
    ...(item.includes('"starting_at"') ? (['the start is written down'] as const) : []),
    ...(item.includes('"starting_at"') && hasInput ? (["the program's input is written"] as const) : []),
    ...(item.includes('"process"') ? (['the process is written down'] as const) : []),
  ];
}

/** Empty when it went while we looked. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Without what a kill left of a write. */
const queued = (desk: Desk): string[] =>
  readdirSync(desk.kept('queue')).filter((name) => name.endsWith('.json'));
