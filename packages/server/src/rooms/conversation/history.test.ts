import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { must, talk } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';

describeEachServer('history', (start) => {
  const { clock, client, records } = roomSuite(start);

  test('pages through 205 events, exclusive of since, at most 200 at a time', async () => {
    const room = await client.room({ max_turns: 1000, ttl_seconds: 604_800 });
    await talk(room, 201);
    const first = await room.b.history(room.id, { limit: 1000 });
    expect(first.items).toHaveLength(200);
    expect(first.next_since).toBe(first.items.at(-1)?.event_id);
    const second = await room.b.history(room.id, { since: first.next_since });
    expect(second.items).toHaveLength(5);
    expect(second.items.map(({ turn }) => turn)).toEqual([196, 197, 198, 199, 200]);
    const end = await room.b.history(room.id, { since: second.next_since });
    expect(end).toEqual({ room_id: room.id, items: [], next_since: second.next_since });
    expect(await room.a.history(room.id, { since: 0, limit: 2 })).toMatchObject({
      items: [{ type: 'room.created' }, { type: 'room.joined' }],
    });
  });

  test('shows events exactly as they were announced', async () => {
    const room = await client.room({ max_turns: 2 });
    await talk(room, 2);
    const { items } = await room.a.history(room.id);
    const announced = records.events.filter(({ roomId }) => roomId === room.id);
    expect(items).toEqual(announced.map(({ data }) => data));
    for (const [i, { seq, prev }] of announced.entries())
      expect([prev, seq]).toEqual([announced[i - 1]?.seq ?? 0, seq]);
  });

  test('refuses cursors and limits that are none, and cursors of other rooms', async () => {
    const [one, two] = [await client.room(), await client.room()];
    const foreign = (await two.a.history(two.id)).next_since;
    const wrong: Record<string, string | number>[] = [
      { since: foreign },
      { since: 999_999_999 },
      { since: -1 },
      { since: 'x' },
      { since: '1.5' },
      { limit: 0 },
      { limit: -1 },
      { limit: 'many' },
      { limit: '00' },
    ];
    for (const query of wrong) {
      const { status, body } = await one.a.tryHistory(one.id, query);
      expect([query, status, body.error]).toEqual([query, 400, 'invalid_request']);
    }
  });

  test('cuts a limit of any length to 200', async () => {
    const { a, id } = await client.room();
    const all = await a.history(id);
    expect(must(200, await a.tryHistory(id, { limit: '9'.repeat(400) }))).toEqual(all);
  });

  test('is for participants, also after the close, not after the purge', async () => {
    const { a, b, id } = await client.room();
    const stranger = await client.agent();
    expect((await stranger.tryHistory(id)).status).toBe(403);
    expect((await stranger.tryHistory('room_unknown')).status).toBe(404);
    await a.close(id);
    expect((await b.tryHistory(id)).status).toBe(200);
    await clock.leap(86_400_000);
    expect((await b.tryHistory(id)).status).toBe(410);
  });
});
