import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { talk } from '../testing/room-client.ts';
import {
  counted,
  hook,
  hookScenes,
  jobs,
  passBetweenAttempts,
  SECRET,
  settled,
  START,
} from './testing/hook-scene.ts';

describeEachServer('rooms › webhooks', (start) => {
  const scene = hookScenes(start);

  test('tell of a message, signed in every way, without a word of it', async () => {
    const { sink, client, clock } = await scene();
    const room = await client.room({ max_turns: 4 });
    await hook(room.b, sink.url(), { key_id: 'blue' });
    await clock.advance(70_000);
    await room.a.send(room.id, 'How long may a tide entry live?');
    const [received] = await sink.count(1);
    const event = (await room.a.history(room.id)).next_since;
    const id = received?.body.delivery_id ?? '';
    expect(id).toMatch(/^whd_[\w-]{16}$/);
    expect(received?.text).toBe(
      `{"event_id":${event},"type":"message.created","room_id":"${room.id}","target_agent_id":"${room.b.id}",` +
        '"room_state":"ACTIVE","next_turn":1,"reason":"message_created","occurred_at":"2026-06-01T09:01:10Z",' +
        `"next_actor_id":"${room.b.id}","other_agent_id":"${room.a.id}","delivery_id":"${id}"}`,
    );
    const timestamp = (START + 70_000) / 1000;
    const signed = `${timestamp}.${received?.text ?? ''}`;
    const signature = `sha256=${createHmac('sha256', SECRET).update(signed).digest('hex')}`;
    for (const name of ['x-areyouai', 'x-parley']) {
      expect(received?.headers).toMatchObject({
        [`${name}-timestamp`]: String(timestamp),
        [`${name}-signature`]: signature,
        [`${name}-key-id`]: 'blue',
        [`${name}-event-type`]: 'message.created',
        [`${name}-delivery-id`]: id,
      });
    }
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'parley-webhook/1',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
    });
    const expected = new Webhook(SECRET, { format: 'raw' }).sign(
      id,
      new Date(timestamp * 1000),
      received?.text ?? '',
    );
    expect(received?.headers['webhook-signature']).toBe(expected);
    await counted(client, 'delivered', 1);
  });

  test('go to every enabled endpoint of every participant but the one that acted', async () => {
    const { sink, client } = await scene();
    const { a, id, listing } = await client.openRoom({ max_turns: 2 });
    const b = await client.agent();
    await hook(a, sink.url('/a1'));
    await hook(a, sink.url('/a2'));
    await hook(a, sink.url('/off'), { enabled: false });
    await hook(b, sink.url('/b'));
    await b.connect(listing.id);
    await a.send(id, 'one');
    await b.send(id, 'two');
    // The last message closes the room: its sender hears of neither.
    const expected = { '/a1': ['room.joined', 'message.created', 'room.closed'], '/b': ['message.created'] };
    await sink.count(7);
    expect(sink.types('/a1')).toEqual(expected['/a1']);
    expect(sink.types('/a2')).toEqual(expected['/a1']);
    expect(sink.types('/b')).toEqual(expected['/b']);
    expect(sink.types('/off')).toEqual([]);
    const ids = sink.received.map(({ body }) => body.delivery_id);
    expect(new Set(ids).size).toBe(7);
    const last = sink.received.filter(({ path }) => path === '/a1').map(({ body }) => body);
    expect(last[0]).toMatchObject({
      room_state: 'ACTIVE',
      next_turn: 0,
      next_actor_id: a.id,
      other_agent_id: b.id,
    });
    expect(last[2]).toMatchObject({ room_state: 'CLOSED', reason: 'room_closed', next_turn: 2 });
    expect(last[1]).not.toHaveProperty('next_actor_id');
    expect(last[2]).not.toHaveProperty('next_actor_id');
  });

  test('go to both when the clock acted, and survive the purge', async () => {
    const { clock, server, sink, client } = await scene({
      roomsPurgeUnread: 'grace',
      roomsGraceSeconds: 30,
    });
    const time = { clock, server };
    const room = await client.room({ ttl_seconds: 60 });
    await hook(room.a, sink.url('/a'));
    await hook(room.b, sink.url('/b'));
    let up = false;
    sink.answer = () => (up ? 200 : 503);
    const purged = async (): Promise<boolean> => (await room.a.state(room.id)).state === 'PURGED';
    await passBetweenAttempts(time, 80_000, () => sink.received.length >= 2);
    await clock.advance(60_000);
    await expect.poll(purged).toBe(true);
    expect(sink.types('/a')).not.toContain('room.purged');
    up = true;
    const told = (path: string): string[] => [...new Set(sink.types(path))];
    await passBetweenAttempts(time, 400_000, () => told('/a').length === 2 && told('/b').length === 2);
    for (const path of ['/a', '/b']) expect(told(path)).toEqual(['room.closed', 'room.purged']);
    const [closed] = sink.received;
    expect(closed?.body).not.toHaveProperty('next_actor_id');
    expect(closed?.body.other_agent_id).toMatch(/^agt_/);
  });

  test('come strictly in order per room and endpoint, while others do not wait', async () => {
    const { clock, server, sink, client } = await scene();
    const room = await client.room({ max_turns: 12 });
    await hook(room.b, sink.url('/stuck'));
    await hook(room.b, sink.url('/free'));
    let failures = 2;
    sink.answer = ({ path }) => (path === '/stuck' && failures-- > 0 ? 500 : 200);
    await talk(room, 11);
    const of = (path: string): number[] =>
      sink.received.filter((received) => received.path === path).map(({ body }) => body.event_id);
    await expect.poll(() => of('/free').length === 6 && of('/stuck').length > 0).toBe(true);
    expect(of('/free')).toEqual(of('/free').toSorted((one, two) => one - two));
    expect(of('/stuck')).toHaveLength(1);
    await passBetweenAttempts({ clock, server }, 40_000, () => of('/stuck').length === 8);
    const [first] = of('/free');
    expect(of('/stuck')).toEqual([first, first, ...of('/free')]);

    const other = await client.room();
    await hook(other.b, sink.url('/other'));
    await other.a.send(other.id, 'hello');
    await expect.poll(() => of('/other').length).toBe(1);
  });

  test('of a deleted endpoint are dropped, of a disabled one dead', async () => {
    const { clock, server, sink, client } = await scene();
    const room = await client.room({ max_turns: 10 });
    const deleted = await hook(room.b, sink.url('/deleted'));
    const disabled = await hook(room.b, sink.url('/disabled'));
    sink.answer = () => 503;
    await talk(room, 3);
    await sink.count(2);
    await expect
      .poll(async () => (await jobs(server)).every(({ leased_by }) => leased_by === null))
      .toBe(true);
    await room.b.call('DELETE', `/v1/agent/webhooks/${deleted.id}`);
    await server.context.database.write((tx) =>
      tx.run(sql`UPDATE room_webhook_endpoints SET enabled = 0 WHERE id = ${disabled.id}`),
    );
    sink.answer = () => 200;
    await clock.advance(10_000);
    const deaths = async (): Promise<boolean[]> =>
      (await jobs(server)).map(({ dead_at }) => dead_at !== null);
    await expect.poll(deaths).toEqual([true, true]);
    expect(sink.received).toHaveLength(2);
    for (const name of ['dropped', 'dead']) await counted(client, name, 2);
  });

  test('never leave for a private address unless the operator allows it', async () => {
    const { server, sink, client } = await scene({
      callbackAllow: [],
      resolve: async () => ['127.0.0.1'],
    });
    const room = await client.room();
    const port = sink.host.split(':')[1];
    await hook(room.b, `https://hooks.example:${port}/hook`);
    await room.a.send(room.id, 'hello');
    await settled(server, 1);
    expect((await jobs(server))[0]?.last_error).toBe('ssrf_blocked');
    expect(sink.received).toEqual([]);
  });

  test('are queued with the event or not at all', async () => {
    const { server, sink, client } = await scene();
    const room = await client.room();
    await hook(room.b, sink.url());
    const stale = await room.a.trySend(room.id, 'stale', { bundle_hash: 'f'.repeat(64) });
    expect(stale.status).toBe(409);
    expect(await jobs(server)).toEqual([]);
  });
});
