import { expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { pass } from '../testing/records.ts';
import { talk } from '../testing/room-client.ts';
import { roomScene } from '../testing/room-scene.ts';

const DAY = 86_400_000;
const GRACE = 15 * 60_000;
const NEVER = 2_000_000_000;

const stateOf = async ({ a, id }: { a: { state(id: string): Promise<{ state: string }> }; id: string }) =>
  (await a.state(id)).state;

describeEachServer('rooms › purge', (start) => {
  // The sweep is tested by itself; here each step is caused by the request.
  const started = (options: object = {}) => roomScene(start, { roomsSweepMs: NEVER, ...options });

  test('keeps a room nobody read until the retention cap', async () => {
    const { clock, client, records } = await started();
    const room = await client.room();
    await talk(room, 2);
    await room.a.close(room.id);
    await clock.leap(DAY - 1);
    expect(await stateOf(room)).toBe('CLOSED');
    await clock.advance(1);
    expect(await stateOf(room)).toBe('PURGED');
    expect(records.eventsOf(room.id).slice(-2)).toEqual(['room.state_changed', 'room.purged']);
    expect(records.events.at(-1)?.data).toMatchObject({
      reason: 'retention_cap_reached',
      room_state: 'PURGED',
    });
    for (const agent of [room.a, room.b]) {
      const last = records.deliveriesTo(agent, room.id).at(-1);
      expect(last?.data).toMatchObject({
        type: 'room.purged',
        reason: 'retention_cap_reached',
        room_state: 'PURGED',
      });
      expect(last?.data).toHaveProperty('closed_at');
      expect(last?.data).toHaveProperty('purged_at');
    }
    const refused = [
      await room.a.tryContext(room.id),
      await room.a.tryHistory(room.id),
      await room.a.tryToken(room.id),
      await client.transcript(room.id, (await client.room()).code),
    ];
    expect(refused.map(({ status }) => status)).toEqual([410, 410, 410, 403]);
  });

  test('counts the grace from the last time a person read the room', async () => {
    const { clock, client, records } = await started();
    const room = await client.room();
    await room.a.close(room.id);
    await clock.leap(3_600_000);
    expect((await client.transcript(room.id, room.code)).status).toBe(200);
    expect(Date.parse((await room.a.state(room.id)).purge_after ?? '')).toBe(clock.now() + GRACE);
    await clock.leap(GRACE - 1);
    expect((await client.transcript(room.id, room.code)).status).toBe(200);
    await clock.leap(GRACE - 1);
    expect(await stateOf(room)).toBe('CLOSED');
    await clock.advance(1);
    expect(await stateOf(room)).toBe('PURGED');
    expect(records.events.at(-1)?.data.reason).toBe('grace_elapsed');
    expect((await client.transcript(room.id, room.code)).status).toBe(410);
  });

  test('waits for a viewer who is still there, but not past the cap', async () => {
    const { clock, client, records } = await started({ roomsGraceSeconds: 10, roomsRetentionSeconds: 300 });
    const room = await client.room();
    const { body } = await client.viewers(room.id, { op: 'join', human_code: room.code });
    await room.a.close(room.id);
    for (let passed = 0; passed < 280; passed += 40) {
      await clock.advance(40_000);
      const beat = await client.viewers(room.id, { op: 'heartbeat', viewer_token: body.viewer_token });
      expect(beat.status).toBe(200);
      expect(await stateOf(room)).toBe('CLOSED');
    }
    await clock.advance(20_000);
    expect(await stateOf(room)).toBe('PURGED');
    expect(records.events.at(-1)?.data.reason).toBe('retention_cap_reached');
  });

  test('comes when the last viewer has fallen silent and the grace is over', async () => {
    const { clock, client } = await started({ roomsGraceSeconds: 10 });
    const room = await client.room();
    await client.viewers(room.id, { op: 'join', human_code: room.code });
    await room.a.close(room.id);
    await clock.advance(45_000);
    expect(await stateOf(room)).toBe('CLOSED');
    await clock.advance(1);
    expect(await stateOf(room)).toBe('PURGED');
  });

  test('comes after the grace, read or not, when so configured', async () => {
    const { clock, client } = await started({ roomsPurgeUnread: 'grace' });
    const room = await client.room();
    await room.a.close(room.id);
    const body = { human_code: room.code, include: ['room'] };
    const { room: shown } = (await client.transcript(room.id, room.code, { body })).body;
    expect(shown?.purge_grace_seconds).toBeNull();
    await clock.advance(GRACE - 1);
    expect(await stateOf(room)).toBe('CLOSED');
    await clock.advance(1);
    expect(await stateOf(room)).toBe('PURGED');
  });

  test('is done by the sweep as well', async () => {
    const { clock, server, client, records } = await started({ roomsSweepMs: 5000 });
    const room = await client.room();
    await room.a.close(room.id);
    await clock.leap(DAY);
    await pass({ clock, server }, 10_000);
    await expect.poll(() => records.eventsOf(room.id)).toContain('room.purged');
  });

  test('leaves ids, counters and times, and nothing that was said', async () => {
    const { clock, server, client } = await started();
    const room = await client.room({ topic: 'a very secret topic', tags: ['secret-tag'] });
    await talk(room, 3);
    await room.b.ack(room.id, 2);
    await client.viewers(room.id, { op: 'join', human_code: room.code });
    await room.a.close(room.id);
    await clock.leap(DAY);
    expect(await room.a.state(room.id)).toMatchObject({
      state: 'PURGED',
      turn_index: 3,
      agent_a_id: room.a.id,
      agent_b_id: room.b.id,
    });
    const { read } = server.context.database;
    const left = await read.get<Record<string, unknown>>(sql`
      SELECT r.topic, r.sealed_key, l.topic AS listed, l.tags, l.search_text,
        (SELECT COUNT(*) FROM room_messages WHERE room_id = r.id) AS messages,
        (SELECT COUNT(*) FROM room_viewers WHERE room_id = r.id) AS viewers,
        (SELECT COUNT(*) FROM room_events WHERE room_id = r.id) AS events,
        (SELECT COUNT(*) FROM room_participants WHERE room_id = r.id AND read_turn IS NOT NULL) AS marks
      FROM rooms r JOIN room_listings l ON l.room_id = r.id WHERE r.id = ${room.id}`);
    expect(left).toEqual({
      topic: '',
      sealed_key: null,
      listed: '',
      tags: '[]',
      search_text: '',
      messages: 0,
      viewers: 0,
      events: 2,
      marks: 0,
    });
    expect((await room.b.tryConnect(room.listing.id)).status).toBe(409);
  });
});
