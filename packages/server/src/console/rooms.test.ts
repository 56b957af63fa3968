import { consoleChannels, type ConsoleChannelsAnswer } from '@parley/protocol/console/channel-routes';
import {
  CONSOLE_ROOM_ROUTES,
  type ConsoleRoomAnswer,
  type ConsoleRoomsAnswer,
} from '@parley/protocol/console/room-routes';
import { beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { ChannelClient } from '../testing/channel-client.ts';
import { SseReader } from '../testing/sse-reader.ts';
import type { TestServer } from '../testing/start-server.ts';
import { statementsOf } from '../testing/statements.ts';
import { conversation, speak } from './testing/conversation.ts';
import { PersonClient } from './testing/person-client.ts';

const list = async (person: PersonClient, query = {}) =>
  (await person.read<ConsoleRoomsAnswer>('/v1/console/rooms', query)).rooms;

describeEachServer('console › rooms', (start, dialect) => {
  let server: TestServer;
  let ann: MessageClient;
  let anns: PersonClient;
  let bobs: PersonClient;
  let operator: PersonClient;
  let host: PersonClient;
  let guest: PersonClient;
  let roomId: string;
  let code: string;

  beforeAll(async () => {
    server = await start({ rateLimits: false });
    ann = await MessageClient.register(server, 'ann@example.com');
    const bob = await MessageClient.register(server, 'bob@example.com');
    await ann.create({ slug: 'harbour' });
    await ann.create({ slug: 'tide' });
    await bob.create({ slug: 'lighthouse' });
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    operator = await PersonClient.operator(server);
    host = anns.as(`harbour@${ann.owner.slug}`);
    guest = anns.as('tide');
    const made = await conversation([host, guest], { topic: 'The tides', max_turns: 9 }, ['one', 'two']);
    ({ room_id: roomId, human_code: code } = made);
  });

  const room = (person: PersonClient) => person.read<ConsoleRoomAnswer>(`/v1/console/rooms/${roomId}`);

  test('an owner sees rooms with an agent of its own, an operator all', async () => {
    const [found] = await list(anns);
    expect(found).toMatchObject({
      id: roomId,
      topic: 'The tides',
      state: 'ACTIVE',
      turn: 2,
      max_turns: 9,
      next: `harbour@${ann.owner.slug}`,
    });
    expect(found?.participants.map(({ address, yours }) => [address, yours])).toEqual([
      [`harbour@${ann.owner.slug}`, true],
      [`tide@${ann.owner.slug}`, true],
    ]);
    expect((await list(operator)).map(({ id }) => id)).toContain(roomId);
    expect(await list(bobs)).toEqual([]);
    expect(await list(bobs, { owner: ann.owner.slug })).toEqual([]);
    expect(await list(operator, { state: 'CLOSED' })).toEqual([]);
  });

  test('what was said is shown to its owner, with what each agent is given', async () => {
    const { messages, participants, layers, events } = await room(anns);
    expect(messages.map(({ text, from, read }) => [text, from, read])).toEqual([
      ['one', `harbour@${ann.owner.slug}`, true],
      ['two', `tide@${ann.owner.slug}`, false],
    ]);
    const context = await guest.read<{ bundle_hash: string; soul_hash: string }>(
      `/v1/rooms/${roomId}/context`,
    );
    expect(participants[1]?.context_hash).toBe(context.bundle_hash);
    expect(layers.find(({ name }) => name === 'SOUL')?.hash).toBe(context.soul_hash);
    expect(events.at(-1)?.type).toBe('room.created');
  });

  test('answers have the declared shapes and hold no code', async () => {
    for (const { path, answer } of CONSOLE_ROOM_ROUTES) {
      const { text, body } = await anns.call('GET', path.replace('{id}', roomId));
      expect(answer?.safeParse(body).error, path).toBeUndefined();
      expect(text).not.toContain(code);
    }
  });

  test('a room of others is not there, and an agent of others is nobody', async () => {
    expect((await bobs.call('GET', `/v1/console/rooms/${roomId}`)).status).toBe(404);
    expect((await bobs.call('GET', '/v1/console/rooms/room_none')).status).toBe(404);
    const asHarbour = bobs.as(`harbour@${ann.owner.slug}`);
    expect((await asHarbour.call('POST', `/v1/rooms/${roomId}/close`, { body: {} })).status).toBe(401);
    expect((await asHarbour.call('GET', `/v1/rooms/${roomId}/context`)).status).toBe(401);
    const asOwn = bobs.as('lighthouse');
    expect((await asOwn.call('POST', `/v1/rooms/${roomId}/human-code`, { body: {} })).status).toBe(403);
  });

  test('a page is told of each turn, and more rooms cost no more statements', async () => {
    const stream = await SseReader.open(server, '/v1/console/stream', { headers: { cookie: anns.cookie } });
    await speak(host, roomId, 'three');
    await expect
      .poll(() => stream.frames.flatMap(({ data }) => (data as { kinds: string[] }).kinds))
      .toContain('rooms');
    stream.close();
    const asked = dialect === 'sqlite' ? await statementsOf(() => list(anns)) : [];
    for (const topic of ['a', 'b', 'c']) await conversation([host, guest], { topic }, ['x']);
    expect((await list(anns)).length).toBe(4);
    if (dialect === 'sqlite')
      expect((await statementsOf(() => list(anns))).length).toBeLessThanOrEqual(asked.length);
  });

  test('pages follow each other without a gap', async () => {
    const first = await anns.read<ConsoleRoomsAnswer>('/v1/console/rooms', { limit: 3 });
    const rest = await anns.read<ConsoleRoomsAnswer>('/v1/console/rooms', {
      limit: 3,
      cursor: first.next ?? '',
    });
    expect(new Set([...first.rooms, ...rest.rooms].map(({ topic }) => topic))).toEqual(
      new Set(['The tides', 'a', 'b', 'c']),
    );
    expect([first.rooms.length, rest.rooms.length, rest.next]).toEqual([3, 1, null]);
  });

  test('an operator acts as an agent of the owner it names, and that is noted', async () => {
    const as = operator.for(ann.owner.slug).as('harbour');
    const made = await as.call<{ human_code: string }>('POST', `/v1/rooms/${roomId}/human-code`, {
      body: {},
    });
    expect(made.status).toBe(201);
    expect((await as.call('POST', `/v1/rooms/${roomId}/close`, { body: {} })).status).toBe(200);
    expect((await room(operator)).close_reason).toBe('manual_close');
    const lines = await server.context.database.read.all<{ object: string }>(
      sql`SELECT object FROM console_audit WHERE action = 'changed' AND actor = 'operator' ORDER BY id`,
    );
    expect(lines.map(({ object }) => object)).toEqual([
      `POST /v1/rooms/${roomId}/human-code`,
      `POST /v1/rooms/${roomId}/close`,
    ]);
  });

  test('channels are told by who, when and how much; nothing of a text, a token or a key is in it', async () => {
    const { channel, a } = await new ChannelClient(server).pair();
    const stream = await SseReader.open(server, '/v1/console/stream', {
      headers: { cookie: operator.cookie },
    });
    await a.send('sealed words');
    await expect
      .poll(() => stream.frames.flatMap(({ data }) => (data as { kinds: string[] }).kinds))
      .toContain('channels');
    stream.close();
    const { text, body } = await operator.call<ConsoleChannelsAnswer>('GET', '/v1/console/channels');
    expect(consoleChannels.answer?.safeParse(body).error).toBeUndefined();
    expect(body.channels[0]).toMatchObject({ id: channel.id, state: 'awake', messages: 1, bytes: 12 });
    expect(body.channels[0]?.participants.map(({ name }) => name)).toEqual(['a', 'b']);
    for (const secret of ['sealed words', channel.token, a.id]) expect(text).not.toContain(secret);
  });

  test.each(['names', 'content'] as const)('an operator among strangers: %s', async (operatorReads) => {
    const place = {
      publicUrl: 'http://127.0.0.1:1',
      registration: 'open',
      allowOpenRegistration: true,
    } as const;
    const far = await start({ rateLimits: false, ...place, operatorReads });
    const eve = await MessageClient.register(far, 'eve@example.com');
    await eve.create({ slug: 'one' });
    await eve.create({ slug: 'two' });
    const person = await PersonClient.signIn(far, { api_key: eve.owner.key });
    const made = await conversation([person.as('one'), person.as('two')], { topic: 'Ours' }, ['words']);
    const stranger = await PersonClient.operator(far);
    const seen = await stranger.call<ConsoleRoomAnswer>('GET', `/v1/console/rooms/${made.room_id}`);
    const reads = operatorReads === 'content';
    expect(seen.text.includes('words')).toBe(reads);
    expect(seen.body.topic).toBe(reads ? 'Ours' : null);
    expect(seen.body.participants.some(({ yours }) => yours)).toBe(false);
    const as = stranger.for(eve.owner.slug).as('one');
    expect((await as.call('POST', `/v1/rooms/${made.room_id}/close`, { body: {} })).status).toBeGreaterThan(
      399,
    );
    const looks = await far.context.database.read.all(
      sql`SELECT object FROM console_audit WHERE action = 'looked'`,
    );
    expect(looks).toEqual(reads ? [{ object: `room ${made.room_id}` }] : []);
  });
});
