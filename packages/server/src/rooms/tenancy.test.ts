import { SCOPES } from '@parley/protocol/identity/scopes';
import { ALL_ROOMS_ROUTES } from '@parley/protocol/rooms/endpoints';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import type { TestServer } from '../testing/start-server.ts';
import { RoomClient } from './testing/room-client.ts';
import { mintKey } from '../identity/keys/keys.ts';

/** Bodies that get past the shape, so that the answer is about whose room it is. */
const BODIES: Readonly<Record<string, object>> = {
  room_messages: { expected_turn: 0, ciphertext: 'hello', bundle_hash: 'x' },
  room_context_ack: { turn_index: 0 },
  room_typing: { state: 'stop' },
  room_transcript: { human_code: 'hc_wrong' },
  room_viewers: { op: 'join', human_code: 'hc_wrong' },
};

/** Where the protocol says something else to an outsider than that the room is not theirs. */
const OTHERWISE: Readonly<Record<string, number>> = {
  // Offers are public; this one is taken.
  listing_connect: 409,
  // The bearer is no viewer token, and leaving is unsupported for everybody.
  room_viewer_events: 404,
  room_leave: 501,
  // Things of another agent, and not of a room, do not exist.
  agent_webhooks_delete: 404,
  agent_blocks_delete: 404,
};

const routes = ALL_ROOMS_ROUTES.filter(({ path }) => path.includes('{id}'));

describeEachServer('rooms › an outsider', (start) => {
  let server: TestServer;
  let rooms: RoomClient;
  let outsider: string;
  let sibling: string;
  let ids: { room: string; listing: string; webhook: string };

  beforeAll(async () => {
    server = await start({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    rooms = new RoomClient(server);
    const room = await rooms.room();
    const hook = { url: 'https://hooks.example/x', secret: 'a long enough secret' };
    const made = await rooms.call<{ id: string }>('POST', '/v1/agent/webhooks', {
      key: room.a.apiKey,
      body: hook,
    });
    ids = { room: room.id, listing: room.listing.id, webhook: made.body.id };
    outsider = (await rooms.agent()).apiKey;
    sibling = await siblingKey(room.a.suffix);
  });

  /** The key of another agent of the same owner, with every right that a key can have. */
  const siblingKey = async (suffix: string): Promise<string> => {
    const { identity } = server.context;
    const owner = (await identity.directory.bySuffix([suffix])).get(suffix)?.ownerId ?? '';
    const other = await server.context.database.write((tx) =>
      identity.directory.create(tx, owner, 'Sibling'),
    );
    const made = await identity.database.write((tx) =>
      mintKey(identity, tx, owner, other.suffix, { scopes: SCOPES }),
    );
    return made.secret;
  };

  describe.each([
    ['somebody else', () => outsider],
    ["another agent of a member's owner", () => sibling],
  ])('%s gets nothing of a room', (_who, key) => {
    test.each(routes.map((route) => [route.name, route] as const))('through %s', async (name, route) => {
      const id =
        name === 'listing_connect' ? ids.listing : name === 'agent_webhooks_delete' ? ids.webhook : ids.room;
      const body = BODIES[name];
      const answer = await rooms.call(route.method, route.path.replace('{id}', id), {
        key: key(),
        ...(body && { body }),
      });
      expect(answer.status).toBe(OTHERWISE[name] ?? 403);
      expect(Object.keys(answer.body)).toEqual(
        expect.arrayContaining(['error', 'status', 'recoverable', 'hint']),
      );
      expect(answer.body).not.toHaveProperty('messages');
    });
  });

  test('a room that does not exist is told apart only where the protocol says so', async () => {
    for (const route of routes.filter(
      ({ path, auth }) => path.startsWith('/v1/rooms/') && auth.includes('bearer'),
    )) {
      if (route.unsupported) continue;
      const body = BODIES[route.name];
      const path = route.path.replace('{id}', 'room_0000000000000000');
      const answer = await rooms.call(route.method, path, { key: outsider, ...(body && { body }) });
      expect([route.name, answer.status, answer.body.error]).toEqual([route.name, 404, 'room_not_found']);
    }
  });
});
