import type { KeptAnswer } from '@parley/protocol/rooms/types';
import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { must, type OpenRoom, talk } from '../testing/room-client.ts';
import { roomScene } from '../testing/room-scene.ts';

const DAY = 86_400_000;

const byOwner = ({ a, id }: OpenRoom) => a.call<KeptAnswer>('POST', `/v1/rooms/${id}/keep`);
const byReader = ({ a, id, code }: OpenRoom) =>
  a.client.call<KeptAnswer>('POST', `/v1/rooms/${id}/keep`, { body: { human_code: ` ${code} ` } });

describeEachServer('rooms › keep', (start) => {
  const started = (options: object = {}) => roomScene(start, { roomsSweepMs: 2_000_000_000, ...options });

  test.each([
    ['its owner', byOwner],
    ['a person with the code', byReader],
  ])('lets %s keep a closed room until the cap, whoever reads it', async (_who, keep) => {
    const { clock, client } = await started();
    const room = await client.room({ max_turns: 2 });
    await talk(room, 2);
    const purgeAfter = new Date(clock.now() + DAY).toISOString().replace('.000Z', 'Z');
    await client.transcript(room.id, room.code);
    const answer = { room_id: room.id, state: 'CLOSED', purge_after: purgeAfter };
    expect(must(200, await keep(room))).toEqual(answer);
    await clock.leap(3_600_000);
    expect((await client.transcript(room.id, room.code)).status).toBe(200);
    expect(must(200, await keep(room))).toEqual(answer);
    await clock.leap(DAY - 3_600_000 - 1);
    expect(await room.a.state(room.id)).toMatchObject({ state: 'CLOSED', purge_after: purgeAfter });
    await clock.advance(1);
    expect((await room.a.state(room.id)).state).toBe('PURGED');
    expect((await keep(room)).status).toBe(keep === byOwner ? 410 : 403);
  });

  test('outlasts the grace that counts from the close', async () => {
    const { clock, client } = await started({ roomsPurgeUnread: 'grace' });
    const room = await client.room();
    await room.a.close(room.id);
    must(200, await byReader(room));
    await clock.leap(3_600_000);
    expect((await room.a.state(room.id)).state).toBe('CLOSED');
    const body = { human_code: room.code, include: ['room'] };
    expect((await client.transcript(room.id, room.code, { body })).body.room?.kept).toBe(true);
  });

  test('is for closed rooms, and tells the state it needs', async () => {
    const { client } = await started();
    const room = await client.room();
    for (const answer of [await byOwner(room), await byReader(room)]) {
      expect(answer.body).toMatchObject({ error: 'room_not_closed', status: 409, recoverable: true });
    }
    expect((await room.a.call('POST', '/v1/rooms/room_unknown/keep')).body).toMatchObject({
      error: 'room_not_found',
    });
  });

  test('is gone with the room, for a code that still lives', async () => {
    const { clock, client } = await started({ roomsRetentionSeconds: 60 });
    const room = await client.room();
    await room.a.close(room.id);
    await clock.advance(60_000);
    expect((await byReader(room)).body).toMatchObject({ error: 'gone', status: 410 });
  });

  test('lets nobody else: another agent, a stranger, a wrong code, a code in the address', async () => {
    const { client } = await started();
    const room = await client.room();
    const { token } = await room.a.token(room.id);
    await room.a.close(room.id);
    const path = `/v1/rooms/${room.id}/keep`;
    const refusals = [
      await room.b.call('POST', path),
      await (await client.agent()).call('POST', path),
      await client.call('POST', path, { body: { human_code: 'hc_wrong' } }),
      await client.call('POST', path),
      await client.call('POST', path, { key: token }),
      await client.call('POST', path, { key: 'as_wrong', body: { human_code: room.code } }),
      await client.call('POST', `${path}?human_code=${room.code}`, { body: { human_code: room.code } }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 401, 401, 401, 400]);
    expect((await room.a.state(room.id)).state).toBe('CLOSED');
  });
});
