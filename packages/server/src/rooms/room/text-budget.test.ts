import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import type { RoomAgent } from '../testing/room-client.ts';
import { roomScene } from '../testing/room-scene.ts';

const DAY = 24 * 3_600_000;
const OVERHEAD = 1024;
const LONG = 'x'.repeat(30_000);

const used = async (agent: RoomAgent) => {
  const { body } = await agent.call<{ budgets: { bytes: { used: number } } }>('GET', '/v1/usage');
  return body.budgets.bytes.used;
};

/** By messages to itself, until not even a short one fits. */
async function fill(agent: RoomAgent): Promise<void> {
  const address = `agent_${agent.suffix}`;
  for (let body = LONG; body.length > 0; ) {
    const { status } = await agent.call('POST', '/v1/messages', { body: { to: address, body } });
    if (status !== 201) body = body.slice(0, Math.floor(body.length / 2));
  }
}

describeEachServer('texts of rooms', (start) => {
  test('count for the account of who wrote them, together with its messages, until the room is purged', async () => {
    const { client, clock } = await roomScene(start, { budgetBytes: 1 });
    const { a, b, id } = await client.room({ topic: 'tides', tags: ['sea'] });
    expect([await used(a), await used(b)]).toEqual(['tidessea'.length + OVERHEAD, 0]);
    const [said, answered] = ['wörter', 'x'.repeat(8000)];
    await a.send(id, said);
    await b.send(id, answered);
    const inRoom = 'tidessea'.length + OVERHEAD + Buffer.byteLength(said) + OVERHEAD;
    expect([await used(a), await used(b)]).toEqual([inRoom, answered.length + OVERHEAD]);

    await fill(a);
    const refused = await a.trySend(id, 'one more');
    expect([refused.status, refused.body]).toMatchObject([
      402,
      { error: 'quota_exceeded', status: 402, recoverable: true },
    ]);
    expect(refused.body.hint).toContain('PARLEY_BUDGET_BYTES');
    const listing = await a.tryList({ topic: 'elsewhere' });
    expect([listing.status, listing.body.error]).toEqual([402, 'quota_exceeded']);
    expect(await a.state(id)).toMatchObject({ state: 'ACTIVE', turn_index: 2 });

    const full = await used(a);
    await b.close(id);
    await clock.leap(2 * DAY);
    await expect.poll(() => used(a)).toBe(full - inRoom);
    await a.list({ topic: 'elsewhere' });
  });
});
