import { hash as digest } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { talk } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';

describeEachServer('context', (start) => {
  const { clock, client } = roomSuite(start);

  test('holds the prompt, its hashes and whose turn it is, in this order', async () => {
    const { a, id } = await client.room();
    const context = await a.context(id);
    expect(Object.keys(context)).toEqual([
      'room_id',
      'bundle_hash',
      'system_core_hash',
      'global_rules_hash',
      'agent_rules_hash',
      'identity_hash',
      'soul_hash',
      'user_hash',
      'next_turn',
      'next_actor_id',
      'turn_index',
      'context_ack_required',
      'context_ack_path',
      'mode',
      'poll_interval_ms',
      'ordered_stack',
      'prompt_bundle_text',
    ]);
    expect(context).toMatchObject({
      room_id: id,
      next_turn: 0,
      turn_index: 0,
      next_actor_id: a.id,
      context_ack_required: true,
      context_ack_path: '/v1/rooms/{id}/context/ack',
      mode: 'sse',
      poll_interval_ms: 5000,
      system_core_hash: '09a98258958da2ac03002eae0b395f9399d8eb0e35f5c00b4c63ef6974d60292',
    });
    expect(context.ordered_stack).toHaveLength(8);
    expect(context.bundle_hash).toBe(digest('sha256', context.prompt_bundle_text));
    expect(context.prompt_bundle_text).toMatch(/^SYSTEM_CORE\nYou are one agent in a Parley room\./);
    expect(context.prompt_bundle_text).toContain(`self_agent_id=${a.id}\n`);
  });

  test('is there for every participant in every state but PURGED', async () => {
    const { a, id, listing } = await client.openRoom();
    expect(await a.context(id)).toMatchObject({ next_actor_id: a.id });
    const b = await client.agent();
    expect((await b.tryContext(id)).status).toBe(403);
    await b.connect(listing.id);
    expect(await b.context(id)).toMatchObject({ next_actor_id: a.id });
    await a.close(id);
    expect(await b.context(id)).toMatchObject({ next_actor_id: '' });
    await clock.leap(86_400_000);
    expect((await b.tryContext(id)).body).toMatchObject({ error: 'gone', status: 410 });
  });

  test('differs for each caller and changes with every message and state', async () => {
    const room = await client.openRoom();
    const b = await client.agent();
    const hashes = [(await room.a.context(room.id)).bundle_hash];
    await b.connect(room.listing.id);
    for (let turn = 0; turn < 3; turn++) {
      for (const agent of [room.a, b]) hashes.push((await agent.context(room.id)).bundle_hash);
      await talk({ ...room, b }, turn + 1);
    }
    await b.close(room.id);
    hashes.push((await b.context(room.id)).bundle_hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('keeps its hash through typing, viewers, acks, tokens, reading and time', async () => {
    const room = await client.room({ ttl_seconds: 3600 });
    await talk(room, 3);
    const { a, b, id, code } = room;
    const { bundle_hash: hash } = await b.context(id);
    await b.typing(id, { state: 'start' });
    await client.viewers(id, { op: 'join', human_code: code });
    await client.transcript(id, code);
    await a.ack(id, 3);
    await b.ack(id, 2);
    await b.token(id);
    await a.state(id);
    await clock.advance(1_800_000);
    const after = await b.context(id);
    expect(after.bundle_hash).toBe(hash);
    const body = { expected_turn: 3, ciphertext: 'still good', bundle_hash: hash };
    expect((await b.post(id, body)).status).toBe(201);
  });

  test('answers 304 to a client that has it, and anew after a message', async () => {
    const { a, b, id } = await client.room();
    for (const path of ['context', 'state']) {
      const url = `/v1/rooms/${id}/${path}`;
      const first = await a.call('GET', url);
      const tag = first.headers.etag ?? '';
      expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
      const second = await a.call('GET', url, { headers: { 'if-none-match': `"other", W/${tag}` } });
      expect([second.status, second.text, second.headers.etag]).toEqual([304, '', tag]);
      expect((await b.call('GET', url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    }
    const { headers } = await a.call('GET', `/v1/rooms/${id}/context`);
    await a.send(id, 'hello');
    const changed = await a.call('GET', `/v1/rooms/${id}/context`, {
      headers: { 'if-none-match': headers.etag ?? '' },
    });
    expect(changed.status).toBe(200);
  });

  describe('ack', () => {
    test('echoes the value and keeps the highest', async () => {
      const room = await client.room();
      await talk(room, 2);
      const { a, b, id, code } = room;
      expect((await b.ack(id, 2)).body).toEqual({ room_id: id, agent_id: b.id, turn_index: 2 });
      expect((await b.ack(id, 0)).body).toEqual({ room_id: id, agent_id: b.id, turn_index: 0 });
      expect((await a.ack(id, 1)).status).toBe(200);
      const { body } = await client.transcript(id, code);
      expect(body.last_context_fetch_turn_by_agent).toEqual({ [b.id]: 2, [a.id]: 1 });
      expect(body.messages.map(({ read_by_opponent: read }) => read)).toEqual([true, false]);
    });

    test.each([undefined, null, -1, 1.5, '1', 1, 1e20])('refuses %s in a room at turn 0', async (turn) => {
      const { a, id } = await client.room();
      expect((await a.ack(id, turn)).body).toMatchObject({ error: 'invalid_request', status: 400 });
    });

    test('refuses strangers, unknown and purged rooms', async () => {
      const { a, id } = await client.room();
      const stranger = await client.agent();
      // A turn that no room reaches is a turn all the same.
      for (const turn of [0, 1e20]) {
        expect((await stranger.ack(id, turn)).status).toBe(403);
        expect((await a.ack('room_unknown', turn)).status).toBe(404);
      }
      await a.close(id);
      expect((await a.ack(id, 0)).status).toBe(200);
      await clock.leap(86_400_000);
      for (const turn of [0, 1e20]) expect((await a.ack(id, turn)).status).toBe(410);
    });
  });

  describe('join (compatibility)', () => {
    test('shows who is there and emits nothing', async () => {
      const { a, b, id } = await client.room();
      const events = await a.history(id);
      const { status, body } = await b.call<Record<string, unknown>>('POST', `/v1/rooms/${id}/join`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        room_id: id,
        state: 'ACTIVE',
        joined: { [a.id]: true, [b.id]: true },
        initial_bundle: (await b.context(id)).bundle_hash,
        soul_hash: (await b.context(id)).soul_hash,
      });
      expect(body.ordered_stack).toHaveLength(8);
      expect(await a.history(id)).toEqual(events);
    });

    test('is for participants of a room that is not over', async () => {
      const { a, id } = await client.room();
      const stranger = await client.agent();
      expect((await stranger.call('POST', `/v1/rooms/${id}/join`)).status).toBe(403);
      await a.close(id);
      expect((await a.call('POST', `/v1/rooms/${id}/join`)).status).toBe(410);
    });
  });
});
