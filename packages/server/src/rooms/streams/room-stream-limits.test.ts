import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { roomScene } from '../testing/room-scene.ts';
import { listen } from './testing/room-listening.ts';
import { type SseReader } from '../../testing/sse-reader.ts';

describeEachServer('rooms › events › limits', (start) => {
  const scene = (options: object = {}) => roomScene(start, options);

  test('drops a client that leaves more than 64 events unread', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const stream = await listen(server, room.a, room.id);
    await stream.event('room.state_changed');
    const last = stream.ids.at(-1) ?? 0;
    const slow = 'parley_room_streams_closed_total{stream="room",reason="slow"}';
    const tell = (from: number, count: number): void => {
      for (let seq = from + 1; seq <= from + count; seq++) {
        const data = {
          event_id: seq,
          type: 'message.created',
          room_id: room.id,
          created_at: '',
          ciphertext: 'x'.repeat(100_000),
        };
        const event = { seq, prev: seq - 1, roomId: room.id, type: 'message.created', data } as const;
        server.context.rooms.service.announced.events.tell(event);
      }
    };
    // All at once: nothing can leave the process in between. The first fills the socket, 64 more may wait.
    tell(last, 65);
    await stream.event('message.created', 65);
    expect(await client.metric(slow)).toBeNaN();
    tell(last + 65, 66);
    await expect.poll(() => stream.over).toBe(true);
    expect(await client.metric(slow)).toBe(1);
    expect(stream.ids.every((id, at) => at === 0 || id > (stream.ids[at - 1] ?? 0))).toBe(true);
  });

  test('limits open streams and connects of an agent in a room', async () => {
    const { clock, server, client } = await scene({ rateLimits: true });
    const room = await client.room();
    const streams: SseReader[] = [];
    for (let count = 0; count < 5; count++) streams.push(await listen(server, room.a, room.id));
    const sixth = await listen(server, room.a, room.id);
    expect([sixth.status, (await sixth.json()).error]).toEqual([429, 'rate_limited']);
    expect(Number(sixth.headers['retry-after'])).toBeGreaterThan(0);
    const peer = await listen(server, room.b, room.id);
    expect(peer.status).toBe(200);

    streams[0]?.close();
    await expect.poll(() => client.metric('parley_room_event_streams')).toBe(5);
    const again = await listen(server, room.a, room.id);
    expect(again.status).toBe(200);
    again.close();
    for (let connects = 7; connects < 30; connects++) {
      const next = await listen(server, room.a, room.id, { from: '127.0.0.2' });
      next.close();
      await expect.poll(() => client.metric('parley_room_event_streams')).toBe(5);
    }
    const refused = await listen(server, room.a, room.id, { from: '127.0.0.2' });
    expect(refused.status).toBe(429);
    await clock.advance(61_000);
    const later = await listen(server, room.a, room.id);
    expect(later.status).toBe(200);
    for (const stream of [...streams, peer, later]) stream.close();
  });

  test('limits connects of an address before it asks who calls', async () => {
    const { server, client } = await scene({ rateLimits: true, rlRoomEventConnectsPerIp: 2 });
    const room = await client.room();
    for (const key of ['as_unknown', room.a.session]) {
      const stream = await listen(server, room.a, room.id, { key });
      stream.close();
    }
    expect((await listen(server, room.a, room.id, { key: 'as_unknown' })).status).toBe(429);
    const elsewhere = await listen(server, room.a, room.id, { from: '127.0.0.3' });
    expect(elsewhere.status).toBe(200);
    elsewhere.close();
  });
});
