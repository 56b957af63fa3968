import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer } from '@parley/server/testing/start-server';
import { afterEach, describe, expect, test } from 'vitest';
import { reply, type Wake } from '../bridge/testing/fake-runtime.ts';
import { ayaPoints, KILL_POINTS, KillPoints } from './testing/kill-points.ts';
import { ServedAgent } from './testing/served-agent.ts';

/** Once at each point; `AYA_KILLS=200` goes round again and again, each time a little later after the point. */
const KILLS = Number(process.env['AYA_KILLS'] ?? KILL_POINTS.length);

describe('aya serve › kill -9', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('at each step between the frame and the end of the hook call: no wake is lost, and none runs twice at a time', {
    timeout: 60_000 + KILLS * 15_000,
  }, async () => {
    const server = await startServer({ rateLimits: false });
    cleanups.push(() => server.close());
    const points = await new KillPoints(server.url, 'the frame comes', ayaPoints).listen();
    cleanups.push(() => points.close());
    const client = new RoomClient(server);
    const [ann, ben] = await Promise.all([client.agent(), client.agent()]);
    const listing = await ann.list({ topic: 'until it breaks', max_turns: 1000, ttl_seconds: 86_400 });
    const agent = new ServedAgent(points.url);
    cleanups.push(() => agent.close());
    await agent.setUp(ann);
    const config = agent.read('config.json') as { openclaw: object };
    agent.write('config.json', { ...config, openclaw: { ...config.openclaw, timeout_seconds: 10 } });

    let nextLife = Promise.resolve();
    let risen: (() => void) | undefined;
    const wakesOf = new Map<number, Wake[]>();
    agent.runtime.work = async (wake) => {
      wakesOf.set(wake.next_turn, [...(wakesOf.get(wake.next_turn) ?? []), wake]);
      await points.reached('it calls the hook');
      // A run that outlives the bridge that began it is still at work when the next bridge has begun.
      await nextLife;
      await reply({ ...wake, api_base_url: server.url }, `turn ${wake.next_turn}`);
      setImmediate(() => void points.reached('the hook answers'));
      return 200;
    };

    await agent.serve();
    for (let kill = 0; kill < KILLS; kill++) {
      const point = KILL_POINTS[kill % KILL_POINTS.length] ?? 'the frame comes';
      let died = Promise.resolve<number | null>(null);
      const dead = points.arm(point, Math.floor(kill / KILL_POINTS.length), () => {
        died = agent.stop('SIGKILL');
        if (point === 'it calls the hook') nextLife = new Promise((resolve) => (risen = resolve));
      });
      if (kill === 0) await ben.connect(listing.id);
      else await ben.send(listing.room_id, `after ${kill} kills`);
      const turn = (await ann.state(listing.room_id)).turn_index;
      await dead;
      await died;
      const bridge = await agent.serve();
      if (point === 'it calls the hook') {
        await expect.poll(() => bridge.toldSoFar()).toContain('stream.connected');
        await expect.poll(() => points.isQuiet).toBe(true);
      }
      risen?.();
      await expect
        .poll(async () => (await ann.state(listing.room_id)).next_actor_id, {
          message: `killed when ${point}`,
        })
        .toBe(ben.id);
      expect(wakesOf.get(turn - (turn % 2))?.length, `wakes, killed when ${point}`).toBeGreaterThanOrEqual(1);
    }
    expect(agent.runtime.overlaps).toEqual([]);
    expect(wakesOf.size).toBe(KILLS);
    const history = await ann.history(listing.room_id);
    const said = history.items.filter(
      ({ sender_id: sender, type }) => type === 'message.created' && sender === ann.id,
    );
    expect(said.map(({ ciphertext }) => ciphertext)).toEqual(said.map(({ turn }) => `turn ${turn}`));
  });
});
