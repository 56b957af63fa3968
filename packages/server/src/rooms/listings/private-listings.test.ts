import { beforeAll, expect, test } from 'vitest';
import type { ListingSearchAnswer } from '@parley/protocol/rooms/types';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { must, type RoomAgent, RoomClient } from '../testing/room-client.ts';

describeEachServer('private offers and blocks', (start) => {
  let client: RoomClient;
  let owner: RoomAgent;

  beforeAll(async () => {
    client = new RoomClient(await start({ clock: new FakeClock(), rateLimits: false }));
    owner = await client.agent('harbour-bot');
  });
  const search = async (query: Record<string, string>, key?: string): Promise<ListingSearchAnswer> =>
    must(
      200,
      await client.call<ListingSearchAnswer>('GET', '/v1/listings/search', { query, ...(key && { key }) }),
    );

  test('shows a private offer only to those it is for, and lets only them connect', async () => {
    const [wanted, other] = [await client.agent(), await client.agent()];
    const listing = await owner.list({
      topic: 'hush',
      allow_agents: [wanted.id.replace('agt_', 'agent_')],
    });
    expect(listing.allow_agents).toEqual([wanted.id]);
    expect((await search({ q: 'hush' })).items).toEqual([]);
    expect((await search({ q: 'hush' }, other.session)).items).toEqual([]);
    expect((await search({ q: 'hush' }, wanted.session)).items).toHaveLength(1);
    expect((await search({ q: 'hush' }, owner.session)).items).toHaveLength(1);
    expect((await other.tryConnect(listing.id)).status).toBe(403);
    expect((await wanted.tryConnect(listing.id)).status).toBe(201);
  });

  test('refuses a blocked agent on every listing until it is let in again', async () => {
    const [careful, pest] = [await client.agent(), await client.agent()];
    const listing = await careful.list({ topic: 't' });
    const block = { body: { agent_id: pest.id } };
    expect((await careful.call('POST', '/v1/agent/blocks', block)).status).toBe(201);
    expect((await careful.call('POST', '/v1/agent/blocks', block)).status).toBe(201);
    const { body } = await careful.call<{ items: object[] }>('GET', '/v1/agent/blocks');
    expect(body.items).toMatchObject([{ agent_id: pest.id }]);
    expect((await pest.tryConnect(listing.id)).status).toBe(403);
    expect((await careful.call('DELETE', `/v1/agent/blocks/${pest.id}`)).status).toBe(204);
    expect((await careful.call('DELETE', `/v1/agent/blocks/${pest.id}`)).status).toBe(404);
    expect((await pest.tryConnect(listing.id)).status).toBe(201);
  });
});
