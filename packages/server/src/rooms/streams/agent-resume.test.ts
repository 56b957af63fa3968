import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { roomScene } from '../testing/room-scene.ts';
import { backlog, listen, woken } from './testing/agent-listening.ts';

const START = Date.UTC(2026, 5, 1, 9, 0, 41, 3);

describeEachServer('rooms › agent stream › resume', (start) => {
  const scene = (options: object = {}) => roomScene(start, { clock: new FakeClock(START), ...options });

  test('sends what is pending to every new connection until it is acknowledged', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const first = await backlog(server, room.a);
    expect(woken(first)).toEqual([['room.turn_ready', room.id, 0]]);
    const again = await backlog(server, room.a);
    expect(again.frames[1]).toEqual(first.frames[1]);
    const delivery = first.frames[1]?.id;
    for (let repeat = 0; repeat < 2; repeat++) {
      const { status, body } = await room.a.acknowledge(delivery);
      expect([status, body]).toEqual([200, { delivery_id: delivery, status: 'acked' }]);
    }
    expect(woken(await backlog(server, room.a))).toEqual([]);
  });

  test('refuses to acknowledge nothing, the unknown and what is another agent’s', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const delivery = (await backlog(server, room.a)).frames[1]?.id;
    expect((await room.a.acknowledge('')).status).toBe(400);
    expect((await room.a.acknowledge(7)).status).toBe(400);
    const unknown = await room.a.acknowledge('dly_unknown');
    expect([unknown.status, unknown.body.error]).toEqual([404, 'not_found']);
    expect((await room.b.acknowledge(delivery)).status).toBe(404);
    expect(woken(await backlog(server, room.a))).toHaveLength(1);
  });

  test('resumes from an acknowledged cursor with everything pending, whatever its position', async () => {
    const { server, client } = await scene();
    const agent = await client.agent();
    const peer = await client.agent();
    const rooms: string[] = [];
    for (let count = 0; count < 3; count++) {
      const listing = await agent.list({ topic: `tides ${count}` });
      await peer.connect(listing.id);
      rooms.push(listing.room_id);
    }
    const fresh = await backlog(server, agent);
    const cursor = fresh.frames[2]?.id;
    await agent.acknowledge(cursor);
    for (const options of [
      { query: `?last_delivery_id=${cursor}` },
      { headers: { 'last-event-id': String(cursor) } },
      { query: `?last_delivery_id=${cursor}`, headers: { 'last-event-id': 'dly_bogus' } },
    ]) {
      const stream = await backlog(server, agent, options);
      expect(stream.frames[0]?.data).toMatchObject({
        resume_status: 'ok',
        last_acknowledged_delivery_id: cursor,
      });
      expect(woken(stream)).toEqual([
        ['room.turn_ready', rooms[0], 0],
        ['room.turn_ready', rooms[2], 0],
      ]);
    }
  });

  test('asks for a replay and closes when the cursor is of no use', async () => {
    const { clock, server, client } = await scene();
    const room = await client.room();
    const other = await client.room();
    const mine = (await backlog(server, room.a)).frames[1]?.id;
    const theirs = (await backlog(server, other.a)).frames[1]?.id;
    await other.a.acknowledge(theirs);
    const asked = async (cursor: string | undefined): Promise<void> => {
      const stream = await listen(server, room.a, { query: `?last_delivery_id=${cursor}` });
      await stream.ended();
      expect(stream.text).toMatch(
        /^retry: 3000\n\nevent: stream.hello\ndata: .*"resume_status":"replay_required"/,
      );
      expect(stream.text).toMatch(
        new RegExp(
          'event: stream\\.replay_required\\ndata: \\{"type":"stream\\.replay_required","agent_id":"' +
            `${room.a.id}","hint":"Call /v1/agent/actionable-rooms, drop the cursor, then reconnect without it\\."\\}\\n\\n$`,
        ),
      );
      expect(stream.events).toEqual(['stream.hello', 'stream.replay_required']);
      expect(stream.frames.map(({ id }) => id)).toEqual([undefined, undefined]);
      expect(stream.frames[0]?.data.last_acknowledged_delivery_id).toBe('');
    };
    await asked('dly_unknown');
    await asked(theirs);
    await asked(mine);
    await room.a.acknowledge(mine);
    await clock.advance(30 * 60_000 + 1);
    await asked(mine);
    expect(await client.metric('parley_agent_stream_resumes_total{status="replay_required"}')).toBe(4);
  });

  test('does not send what has expired', async () => {
    const { clock, server, client } = await scene();
    const room = await client.room({ ttl_seconds: 7200 });
    expect(woken(await backlog(server, room.a))).toHaveLength(1);
    await clock.advance(30 * 60_000);
    expect(woken(await backlog(server, room.a))).toEqual([]);
    expect((await room.a.actionable()).actionable.map(({ room_id }) => room_id)).toEqual([room.id]);
  });

  test('supersedes a wake whose turn was taken, and still lets it be acknowledged', async () => {
    const { server, client } = await scene();
    const room = await client.room({ max_turns: 8 });
    const superseded = (await backlog(server, room.a)).frames[1]?.id;
    await room.a.send(room.id, 'taken without acknowledging');
    expect(woken(await backlog(server, room.a))).toEqual([]);
    expect((await room.a.acknowledge(superseded)).body).toEqual({ delivery_id: superseded, status: 'acked' });
    await room.b.send(room.id, 'back to you');
    expect(woken(await backlog(server, room.a))).toEqual([['room.turn_ready', room.id, 2]]);
    expect(await client.metric('parley_room_deliveries_superseded_total')).toBe(2);
  });

  test('does not starve other rooms behind one that closed while the agent was away', async () => {
    const { server, client } = await scene();
    const agent = await client.agent();
    const peer = await client.agent();
    const over = await agent.list({ topic: 'over' });
    await peer.connect(over.id);
    await peer.close(over.room_id);
    const next = await agent.list({ topic: 'next' });
    await peer.connect(next.id);
    expect(woken(await backlog(server, agent))).toEqual([
      ['room.closed', over.room_id, undefined],
      ['room.turn_ready', next.room_id, 0],
    ]);
  });
});
