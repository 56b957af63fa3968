import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { talk } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';

const body = (turn: number, hash = 'x', text = 'hello') => ({
  expected_turn: turn,
  ciphertext: text,
  bundle_hash: hash,
});

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

describeEachServer('messages', (start) => {
  const { client } = roomSuite(start);

  test('are accepted in turns until max_turns, and the last answer says CLOSED', async () => {
    const room = await client.room({ max_turns: 4 });
    const { a, b, id } = room;
    const first = await a.trySend(id, '  How long may a tide entry live?\nI say one day.  ');
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      message_id: first.body.message_id,
      turn: 0,
      next_turn: 1,
      room_state: 'ACTIVE',
      bundle_hash: first.body.bundle_hash,
    });
    expect(first.body.message_id).toMatch(/^msg_[\w-]{16}$/);
    expect(await b.state(id)).toMatchObject({ turn_index: 1, next_turn: 1, next_actor_id: b.id });
    await b.send(id, 'Six hours; tides shift.');
    await a.send(id, 'Agreed.');
    expect(await b.send(id, 'Done.')).toMatchObject({ turn: 3, next_turn: 4, room_state: 'CLOSED' });
    expect(await a.state(id)).toMatchObject({ state: 'CLOSED', turn_index: 4, next_actor_id: '' });

    const { items } = await a.history(id);
    expect(items.map(({ type }) => type).slice(4)).toEqual([
      'message.created',
      'message.created',
      'message.created',
      'message.created',
      'room.state_changed',
      'room.closed',
    ]);
    expect(items[4]).toEqual({
      event_id: items[4]?.event_id,
      type: 'message.created',
      room_id: id,
      created_at: items[4]?.created_at,
      message_id: first.body.message_id,
      turn: 0,
      sender_id: a.id,
      ciphertext: 'How long may a tide entry live?\nI say one day.',
    });
    expect(items.at(-1)).toMatchObject({
      type: 'room.closed',
      sender_id: b.id,
      room_state: 'CLOSED',
      reason: 'max_turns_reached',
    });
  });

  test('lets the owner speak once when max_turns is 1', async () => {
    const { a, id } = await client.room({ max_turns: 1 });
    expect(await a.send(id, 'Only this.')).toMatchObject({ turn: 0, next_turn: 1, room_state: 'CLOSED' });
  });

  describe('are refused in this order', () => {
    test('bad credential before bad body', async () => {
      const { a, id } = await client.room();
      expect((await a.post(id, '{', { key: 'as_unknown' })).status).toBe(401);
      expect((await a.post(id, '{', { key: 'rat_unknown' })).status).toBe(401);
    });

    test('bad body before unknown room', async () => {
      const { a } = await client.room();
      const wrong: unknown[] = [
        { ...body(0), expected_turn: undefined },
        { ...body(0), expected_turn: -1 },
        { ...body(0), expected_turn: 0.5 },
        { ...body(0), expected_turn: '0' },
        { ...body(0), ciphertext: '  ' },
        { ...body(0), ciphertext: 5 },
        { ...body(0), bundle_hash: '' },
        { expected_turn: 0, ciphertext: 'x' },
        [],
      ];
      for (const one of wrong) {
        expect((await a.post('room_unknown', one)).body).toMatchObject({
          error: 'invalid_request',
          status: 400,
        });
      }
      expect((await a.post('room_unknown', body(0))).body).toMatchObject({
        error: 'room_not_found',
        status: 404,
        recoverable: false,
      });
    });

    test('strangers before anything about the room', async () => {
      const { id, a } = await client.room();
      const stranger = await client.agent();
      await a.close(id);
      expect((await stranger.post(id, body(9))).body).toMatchObject({ error: 'forbidden', status: 403 });
    });

    test('a closed room before turn and hash', async () => {
      const { a, id } = await client.room();
      await a.close(id);
      expect((await a.post(id, body(9, 'x', 'x'.repeat(9000)))).body).toMatchObject({
        error: 'gone',
        status: 410,
        recoverable: false,
      });
    });

    test('an open room with the exact hint', async () => {
      const { a, id } = await client.openRoom();
      expect((await a.post(id, body(9))).body).toEqual({
        error: 'room_not_active',
        status: 409,
        recoverable: true,
        hint: 'Wait until the room becomes ACTIVE before sending messages.',
      });
    });

    test('a wrong turn, and a wrong speaker, before the length', async () => {
      const { a, b, id } = await client.room();
      const long = 'x'.repeat(8193);
      const wrongTurns = [1, 1e20].map((turn) => a.post(id, body(turn, 'x', long)));
      for (const answer of await Promise.all([...wrongTurns, b.post(id, body(0, 'x', long))])) {
        expect(answer.body).toEqual({
          error: 'turn_mismatch',
          status: 409,
          recoverable: true,
          hint: 'Fetch /context again; send only if next_actor_id is you.',
        });
      }
    });

    test('too long a text before a stale hash, counting characters', async () => {
      const { a, id } = await client.room();
      expect((await a.post(id, body(0, 'x', '🌊'.repeat(8193)))).body).toMatchObject({
        error: 'payload_too_large',
        status: 413,
        recoverable: true,
        max_chars: 8192,
      });
      expect((await a.post(id, body(0, 'x', '🌊'.repeat(8192)))).body).toMatchObject({
        error: 'stale_bundle_hash',
        status: 409,
        recoverable: true,
      });
      expect((await a.trySend(id, '🌊'.repeat(8192))).status).toBe(201);
    });

    test('the hash of another agent, or of an earlier turn', async () => {
      const { a, b, id } = await client.room();
      const before = await a.context(id);
      const peers = await b.context(id);
      expect((await a.post(id, body(0, peers.bundle_hash))).body.error).toBe('stale_bundle_hash');
      await a.send(id, 'first');
      await b.send(id, 'second');
      expect((await a.post(id, body(2, before.bundle_hash))).body.error).toBe('stale_bundle_hash');
    });
  });

  test('compare the hash whatever its case', async () => {
    const { a, id } = await client.room();
    const { bundle_hash: hash } = await a.context(id);
    const sent = await a.post(id, body(0, ` ${hash.toUpperCase()} `));
    expect(sent.status).toBe(201);
    expect(sent.body.bundle_hash).toBe(hash);
  });

  test('answer a repeated send with turn_mismatch', async () => {
    const { a, id } = await client.room();
    const { bundle_hash: hash } = await a.context(id);
    expect((await a.post(id, body(0, hash))).status).toBe(201);
    expect((await a.post(id, body(0, hash))).body.error).toBe('turn_mismatch');
  });

  test('change nothing and tell nobody when refused', async () => {
    const { a, b, id } = await client.room();
    const [state, events] = [await a.state(id), await a.history(id)];
    await a.post(id, body(0));
    await b.post(id, body(0));
    await a.post(id, body(0, 'x', 'x'.repeat(9000)));
    expect(await a.state(id)).toEqual(state);
    expect(await a.history(id)).toEqual(events);
  });

  test('accept exactly one of fifty that race for a turn', async () => {
    const { a, b, id } = await client.room();
    const { bundle_hash: hash } = await a.context(id);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => a.post(id, body(0, hash, `attempt ${i}`))),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body: { error } }) => error === 'turn_mismatch')).toHaveLength(49);
    const { items } = await b.history(id);
    const messages = items.filter(({ type }) => type === 'message.created');
    expect(messages.map(({ ciphertext }) => ciphertext)).toEqual([`attempt ${statuses.indexOf(201)}`]);
    expect((await b.state(id)).turn_index).toBe(1);
  });

  test('run in many rooms at once', async () => {
    const rooms = await Promise.all(Array.from({ length: 8 }, () => client.room({ max_turns: 6 })));
    await Promise.all(rooms.map((room) => talk(room, 6)));
    for (const { a, id } of rooms) {
      const { items } = await a.history(id);
      expect(items.filter(({ type }) => type === 'message.created').map(({ turn }) => turn)).toEqual([
        0, 1, 2, 3, 4, 5,
      ]);
      expect(items.map(({ event_id }) => event_id)).toEqual(
        items.map(({ event_id }) => event_id).toSorted((x, y) => x - y),
      );
    }
  });

  test('store what cannot be written as UTF-8 the way everybody will read it', async () => {
    const { a, b, id } = await client.room();
    await a.send(id, 'half \ud83c wave');
    expect((await b.context(id)).prompt_bundle_text).toContain('msg=half \ufffd wave');
    await b.send(id, 'fine');
  });

  describe('with Idempotency-Key', () => {
    test('give the original answer again, also after the room went on or closed', async () => {
      const { a, b, id } = await client.room({ max_turns: 2 });
      const { bundle_hash: hash } = await a.context(id);
      const first = await a.post(id, body(0, hash), keyed('k1'));
      await b.send(id, 'and out');
      const again = await a.post(id, body(0, hash), keyed('k1'));
      expect([first.status, again.status]).toEqual([201, 201]);
      expect(again.body).toEqual(first.body);
      expect((await a.state(id)).turn_index).toBe(2);
    });

    test('are stored once when the same send races itself', async () => {
      const { a, id } = await client.room();
      const { bundle_hash: hash } = await a.context(id);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => a.post(id, body(0, hash), keyed('k'))),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
    });

    test('refuse another body under the same key, and remember no refusal', async () => {
      const { a, id } = await client.room();
      expect((await a.post(id, body(0), keyed('k'))).body.error).toBe('stale_bundle_hash');
      const { bundle_hash: hash } = await a.context(id);
      expect((await a.post(id, body(0, hash), keyed('k'))).status).toBe(201);
      const other = await a.post(id, body(0, hash, 'other words'), keyed('k'));
      expect(other.body).toMatchObject({ error: 'invalid_request', status: 400 });
      expect(other.body.hint).toContain('Idempotency-Key');
    });
  });
});
