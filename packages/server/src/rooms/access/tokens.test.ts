import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { roomSuite } from '../testing/room-scene.ts';

describeEachServer('room tokens', (start) => {
  const { clock, client } = roomSuite(start);

  test('are minted for a participant, with no body and no content type', async () => {
    const { a, id } = await client.room();
    const { status, body } = await a.tryToken(id);
    expect(status).toBe(201);
    expect(body).toEqual({
      room_id: id,
      agent_id: a.id,
      token: body.token,
      scope: 'room:automation',
      expires_at: new Date(clock.now() + 300_000).toISOString().replace('.000Z', 'Z'),
    });
    expect(body.token).toMatch(/^rat_[\w-]{32}$/);
  });

  test('open exactly the calls of the table', async () => {
    const { a, id, listing } = await client.room();
    const { token: key } = await a.token(id);
    const room = `/v1/rooms/${id}`;
    const answers: [string, string, object | undefined, number][] = [
      ['GET', `${room}/state`, undefined, 200],
      ['GET', `${room}/context`, undefined, 200],
      ['POST', `${room}/context/ack`, { turn_index: 0 }, 200],
      ['POST', `${room}/typing`, { state: 'start' }, 200],
      ['POST', '/v1/listings', { topic: 't' }, 401],
      ['POST', `/v1/listings/${listing.id}/connect`, undefined, 401],
      ['POST', `${room}/join`, undefined, 401],
      ['POST', `${room}/access-token`, undefined, 401],
      ['GET', `${room}/events/history`, undefined, 401],
      ['POST', '/v1/agent/stream/ack', { delivery_id: 'dly_x' }, 401],
      ['GET', '/v1/agent/actionable-rooms', undefined, 401],
      ['POST', `${room}/human-code`, undefined, 401],
    ];
    for (const [method, path, body, status] of answers) {
      const answer = await client.call(method, path, { key, ...(body && { body }) });
      expect([path, answer.status]).toEqual([path, status]);
    }
    const { body: context } = await a.tryContext(id, key);
    const body = { expected_turn: 0, ciphertext: 'by token', bundle_hash: context.bundle_hash };
    expect((await a.post(id, body, { key })).status).toBe(201);
    const { items } = await a.history(id);
    expect(items.at(-1)).toMatchObject({ sender_id: a.id, ciphertext: 'by token' });
    expect((await a.close(id, key)).status).toBe(200);
  });

  test('of another room are 403, unknown ones 401', async () => {
    const [one, two] = [await client.room(), await client.room()];
    const { token } = await one.a.token(one.id);
    expect((await one.a.tryState(two.id, token)).body).toMatchObject({ error: 'forbidden', status: 403 });
    expect((await one.a.tryState(one.id, `${token}x`)).body).toMatchObject({ error: 'unauthorized' });
    expect((await one.a.tryState(one.id, 'rat_')).status).toBe(401);
    expect((await one.a.tryState(`%20${one.id}%20`, token)).status).toBe(200);
  });

  test('die when a new one is minted, but not those of the peer', async () => {
    const { a, b, id } = await client.room();
    const [first, peers] = [await a.token(id), await b.token(id)];
    const second = await a.token(id);
    expect((await a.tryState(id, first.token)).status).toBe(401);
    expect((await a.tryState(id, second.token)).status).toBe(200);
    expect((await b.tryState(id, peers.token)).status).toBe(200);
  });

  test('live for five minutes, used or not', async () => {
    const { a, id } = await client.room();
    const { token } = await a.token(id);
    await clock.advance(299_999);
    expect((await a.tryState(id, token)).status).toBe(200);
    await clock.advance(1);
    expect((await a.tryState(id, token)).status).toBe(401);
  });

  test('may be minted by the owner of an OPEN room, and by nobody in a closed one', async () => {
    const { a, id } = await client.openRoom();
    const stranger = await client.agent();
    const { token } = await a.token(id);
    expect((await a.tryState(id, token)).status).toBe(200);
    expect((await stranger.tryToken(id)).status).toBe(403);
    expect((await stranger.tryToken('room_unknown')).status).toBe(404);
    await a.close(id);
    expect((await a.tryToken(id)).body).toMatchObject({ error: 'gone', status: 410 });
  });

  test('die with the room, whatever ended it', async () => {
    const [byHand, byToken, byTurns, byTime] = await Promise.all([
      client.room(),
      client.room(),
      client.room({ max_turns: 1 }),
      client.room({ ttl_seconds: 60 }),
    ]);
    const rooms = [byHand, byToken, byTurns, byTime];
    const keys = await Promise.all(rooms.map(async ({ a, b, id }) => [await a.token(id), await b.token(id)]));
    await byHand.b.close(byHand.id);
    await byToken.a.close(byToken.id, keys[1]?.[0]?.token ?? '');
    await byTurns.a.send(byTurns.id, 'last words');
    await clock.advance(60_001);
    await byTime.a.state(byTime.id);
    for (const [i, { a, id }] of rooms.entries()) {
      for (const { token } of keys[i] ?? [])
        expect([i, (await a.tryState(id, token)).status]).toEqual([i, 401]);
    }
  });

  test('die with the key or the session that minted them', async () => {
    const [bySession, byRotation, byKey] = [await client.room(), await client.room(), await client.room()];
    const minted = await Promise.all([bySession, byRotation].map(({ a, id }) => a.token(id)));
    const ofKey = await client.call<{ token: string }>('POST', `/v1/rooms/${byKey.id}/access-token`, {
      key: byKey.a.apiKey,
    });
    await client.call('DELETE', '/v1/agent/session', { key: bySession.a.session });
    await client.call('POST', '/v1/agent/keys/rotate', { key: byRotation.a.apiKey });
    expect((await bySession.a.tryState(bySession.id, minted[0]?.token)).status).toBe(401);
    expect((await byRotation.a.tryState(byRotation.id, minted[1]?.token)).status).toBe(401);
    expect((await byKey.a.tryState(byKey.id, ofKey.body.token)).status).toBe(200);
    await client.call('POST', '/v1/agent/keys/rotate', { key: byKey.a.session });
    expect((await byKey.a.tryState(byKey.id, ofKey.body.token)).status).toBe(401);
    expect((await byKey.a.token(byKey.id)).token).toMatch(/^rat_/);
  });
});
