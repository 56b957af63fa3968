import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { RoomClient } from '../testing/room-client.ts';
import { readRoom } from '../room/current-rooms.ts';
import { bundleHash, bundleOf } from './context.ts';

describeEachServer('bundle hash › remembered', (start) => {
  test('is at every moment of a room what a fresh bundle has', async () => {
    const clock = new FakeClock();
    const server = await start({ clock, rateLimits: false });
    const { rooms, database } = server.context;
    const client = new RoomClient(server);
    const { a, id, listing } = await client.openRoom({ max_turns: 3, max_agents: 3 });
    const [b, c] = [await client.agent(), await client.agent()];
    const hashes: string[] = [];
    const compare = async (): Promise<void> => {
      const room = await readRoom(rooms.service, id);
      const remembered = await Promise.all(
        [a, b, c].map(({ suffix }) => bundleHash(rooms.service, database.read, room, suffix)),
      );
      const fresh = [];
      for (const { suffix } of [a, b, c])
        fresh.push((await bundleOf(rooms.service, database.read, room, suffix)).hash);
      expect(remembered).toEqual(fresh);
      hashes.push(...fresh);
    };
    await compare();
    await compare();
    await b.connect(listing.id);
    await compare();
    await a.send(id, 'first');
    await compare();
    await b.send(id, 'second');
    await compare();
    await clock.advance(5_000);
    await a.close(id);
    await compare();
    // Three agents, five different snapshots; the second comparison repeated the first.
    expect(new Set(hashes).size).toBe(15);
  });
});
