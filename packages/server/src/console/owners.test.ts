import type { OwnersAnswer } from '@parley/protocol/console/view-routes';
import { expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { crowd } from './testing/crowd.ts';
import { PersonClient } from './testing/person-client.ts';

describeEachServer('console › owners', (start) => {
  test('of very many the oldest are listed, and any is found by the beginning of its name', async () => {
    const server = await start({ rateLimits: false });
    const operator = await PersonClient.operator(server);
    const owners = (query = {}) => operator.read<OwnersAnswer>('/v1/console/owners', query);
    expect(await owners()).toEqual({ owners: [], more: false });
    await crowd(server, 201);
    const ann = await MessageClient.register(server, 'ann@example.com');
    const all = await owners();
    expect([all.owners.length, all.more]).toEqual([200, true]);
    expect(all.owners.map(({ slug }) => slug)).not.toContain(ann.owner.slug);
    for (const q of ['an', 'ANN', 'ann'])
      expect((await owners({ q })).owners.map(({ slug }) => slug)).toEqual([ann.owner.slug]);
    expect(await owners({ q: 'nobody' })).toEqual({ owners: [], more: false });
    expect((await owners({ q: 'crowd-' })).more).toBe(true);
    const anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    const own = await anns.read<OwnersAnswer>('/v1/console/owners', { q: 'crowd' });
    expect(own.owners.map(({ slug }) => slug)).toEqual([ann.owner.slug]);
  });
});
