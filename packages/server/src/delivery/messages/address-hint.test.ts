import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { MessageClient } from '../testing/message-client.ts';

describeEachServer('messages › to a slug that is nobody', (start) => {
  let max: MessageClient;
  let eve: MessageClient;
  beforeAll(async () => {
    const server = await start({ rateLimits: false });
    max = await MessageClient.register(server, 'max@example.com');
    eve = await MessageClient.register(server, 'eve@example.com');
    await max.create({ slug: 'planner' });
    await eve.create({ slug: 'scout' });
    await eve.create({ slug: 'hidden' });
  });

  const hint = async (to: string): Promise<unknown> => {
    const { status, body } = await max.trySend({ to, body: 'hello' });
    expect([status, body.error.code, body.error.message]).toEqual([
      404,
      'agent_not_found',
      `agent ${to} not found`,
    ]);
    return body.error.hint;
  };

  test('says how agents of other owners are addressed', async () => {
    expect(await hint('nobody-at-all')).toMatch(/^agents of other owners are addressed as slug@owner/);
  });

  test('names an agent of the owner that is nearly called so', async () => {
    expect(await hint('plannr')).toMatch(/^did you mean planner@max\? agents of other owners/);
  });

  test('names one of another owner only once they know each other', async () => {
    expect(await hint('scout')).not.toContain('scout@eve');
    await max.send('scout@eve');
    expect(await hint('scout')).toMatch(/^did you mean scout@eve\?/);
    expect(await hint('hidden')).not.toContain('hidden@eve');
  });

  test('an address that names its owner gets none: it tells nobody apart', async () => {
    for (const to of ['scuot@eve', 'scout@nobody']) expect(await hint(to)).toBeUndefined();
  });
});
