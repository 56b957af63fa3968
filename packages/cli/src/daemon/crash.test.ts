import { readdirSync, readFileSync, watch } from 'node:fs';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterEach, describe, expect, test } from 'vitest';
import { type CallPoints, KillPoints } from '../aya/testing/kill-points.ts';
import { Desk } from './testing/desk.ts';
import { TurnProgram } from './testing/turn-program.ts';

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

/** From here on a program may be at work that outlives its bridge. */
const FIRST_OF_A_RUN = POINTS.indexOf('the start is written down');

/** Each time round, the kill comes a little later after the point. */
const ROUNDS = Number(process.env['PARLEY_TEST_BRIDGE_ROUNDS'] ?? 17 * POINTS.length);
/** So many machines are at it side by side: most of a round is waiting for a process. */
const LANES = 4;

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
    timeout: 120_000 + ROUNDS * 10_000,
  }, async () => {
    const server = await startServer({ rateLimits: false });
    cleanups.push(() => server.close());
    await Promise.all(Array.from({ length: LANES }, (_, lane) => expectToOutliveKills(server, lane)));
  });

  async function expectToOutliveKills(server: TestServer, lane: number): Promise<void> {
    const points = await new KillPoints<Point>(server.url, 'the frame comes', pointsOf).listen();
    cleanups.push(() => points.close());
    const client = new RoomClient(server);
    const [ann, ben] = await Promise.all([client.agent(), client.agent()]);
    const { id: listing, room_id: room } = await ann.list({
      topic: 'until it breaks',
      max_turns: 1000,
      ttl_seconds: 86_400,
    });
    const desk = new Desk({ url: server.url, client }, { url: points.url });
    cleanups.push(() => desk.close());
    const program = await new TurnProgram(ann).listen();
    cleanups.push(() => program.close());
    await desk.mustInit(
      ann.apiKey,
      '--allow',
      'rooms',
      '--starts-per-hour',
      '900',
      '--',
      'curl',
      '-sSf',
      '--data-binary',
      '@-',
      program.url,
    );
    const look = (): void => {
      for (const step of fileSteps(desk)) void points.reached(step);
    };
    for (const folder of ['queue', 'runs']) {
      const seen = watch(desk.kept(folder), look);
      cleanups.push(() => seen.close());
    }

    await desk.serve();
    await expect.poll(() => desk.told()).toContain('stream.connected');
    const rounds = Array.from({ length: ROUNDS }, (_, round) => round).filter((n) => n % LANES === lane);
    for (const round of rounds) {
      const point = POINTS[round % POINTS.length] ?? 'the frame comes';
      const release = program.hold();
      let died = Promise.resolve<number | null>(null);
      const killed = points.arm(point, Math.floor(round / POINTS.length), () => {
        died = desk.stop('SIGKILL');
      });
      if (round === lane) await ben.connect(listing);
      else await ben.send(room, `after ${round} kills`);
      await killed;
      await died;
      await desk.serve();
      if (round % POINTS.length >= FIRST_OF_A_RUN) {
        // A program that outlived its bridge is held until the next bridge has done what it does at its start.
        await expect.poll(() => desk.told()).toContain('stream.connected');
        await expect.poll(() => points.isQuiet).toBe(true);
      }
      release();
      const where = `in round ${round}, killed when ${point}`;
      await told(desk, `${where}: the turn is answered`, async () => {
        await expect.poll(async () => (await ann.state(room)).next_actor_id).toBe(ben.id);
      });
      // The next kill is for the next turn.
      await told(desk, `${where}: nothing waits`, () => expect.poll(() => queued(desk)).toEqual([]));
    }
    expect(program.overlaps).toEqual([]);
    expect(program.turns.size).toBe(rounds.length);
  }
});

/** What the bridge did and has kept belongs to the story of a failure. */
async function told(desk: Desk, what: string, expectation: () => Promise<void>): Promise<void> {
  try {
    await expectation();
  } catch (error) {
    const kept = queued(desk).map((name) => textOf(desk.kept('queue', name)));
    const state = textOf(desk.kept('state.json')).slice(0, 2_000);
    throw new Error([what, desk.told(), ...kept, state].join('\n'), { cause: error });
  }
}

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
