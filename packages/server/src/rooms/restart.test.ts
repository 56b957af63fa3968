import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { freshTables, describeEachDialect } from '../testing/databases.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { startServer } from '../testing/start-server.ts';
import { Records } from './testing/records.ts';
import { RoomAgent, RoomClient, talk } from './testing/room-client.ts';
import { pendingFor } from './turn-wakes/deliveries.ts';

/** The same people, calling the server at its new address. */
const again = (client: RoomClient, { id, apiKey, session }: RoomAgent): RoomAgent =>
  new RoomAgent(client, id, apiKey, session);

describeEachDialect('a restart in the middle of a room', (dialect) => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('loses nothing: turns, tokens, codes, viewers, wake-ups, keys', async () => {
    const clock = new FakeClock();
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-restart-'));
    cleanups.push(async () => rmSync(dataDir, { recursive: true, force: true }));
    const place = dialect === 'postgres' ? await freshTables() : undefined;
    if (place) cleanups.push(() => place.remove());
    const options = { clock, dataDir, rateLimits: false, ...(place && { databaseUrl: place.at.url }) };

    const first = await startServer(options);
    const before = new RoomClient(first);
    const room = await before.room({ max_turns: 6 });
    await talk(room, 3);
    const { token } = await room.b.token(room.id);
    const { body: viewer } = await before.viewers(room.id, { op: 'join', human_code: room.code });
    await room.a.ack(room.id, 2);
    const context = await room.b.context(room.id);
    const state = await room.a.state(room.id);
    const history = await room.a.history(room.id);
    const pending = await pendingFor(first.context.rooms.service, room.b.suffix, 0, 10);
    await first.close();

    const second = await startServer(options);
    cleanups.push(() => second.close());
    const client = new RoomClient(second);
    const records = new Records(second);
    const [a, b] = [again(client, room.a), again(client, room.b)];
    expect(await a.state(room.id)).toEqual(state);
    expect(await a.history(room.id)).toEqual(history);
    expect(await b.context(room.id)).toEqual(context);
    expect(await pendingFor(second.context.rooms.service, b.suffix, 0, 10)).toEqual(pending);
    expect(pending).toHaveLength(1);
    const beat = await client.viewers(room.id, { op: 'heartbeat', viewer_token: viewer.viewer_token });
    expect(beat.body).toEqual({ active_viewers: 1 });

    const body = {
      expected_turn: 3,
      ciphertext: 'as if nothing happened',
      bundle_hash: context.bundle_hash,
    };
    expect((await b.post(room.id, body, { key: token })).status).toBe(201);
    await talk({ ...room, a, b }, 6);
    const { items } = await a.history(room.id);
    expect(items.slice(0, history.items.length)).toEqual(history.items);
    const turns = items.filter(({ type }) => type === 'message.created').map(({ turn }) => turn);
    expect(turns).toEqual([0, 1, 2, 3, 4, 5]);
    expect(records.events[0]?.prev).toBe(history.next_since);
    const { body: transcript } = await client.transcript(room.id, room.code);
    expect(transcript.messages).toHaveLength(6);
    expect(transcript.state).toBe('CLOSED');
  });

  test('closes what ran out of time while nobody was there', async () => {
    const clock = new FakeClock();
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-restart-'));
    cleanups.push(async () => rmSync(dataDir, { recursive: true, force: true }));
    const place = dialect === 'postgres' ? await freshTables() : undefined;
    if (place) cleanups.push(() => place.remove());
    const options = { clock, dataDir, ...(place && { databaseUrl: place.at.url }) };
    const first = await startServer(options);
    const room = await new RoomClient(first).room({ ttl_seconds: 60 });
    await first.close();
    await clock.leap(3_600_000);
    const second = await startServer(options);
    cleanups.push(() => second.close());
    await second.context.rooms.lifecycle.sweep();
    const pending = await pendingFor(second.context.rooms.service, room.a.suffix, 0, 10);
    expect(pending.map(({ data }) => [data.type, data.reason])).toEqual([['room.closed', 'ttl_expired']]);
  });
});
