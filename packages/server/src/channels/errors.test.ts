import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemRandom } from '../platform/ids.ts';
import { type Channel, ChannelClient, type Peer } from '../testing/channel-client.ts';
import type { Answer } from '../testing/http-client.ts';
import type { TestServer } from '../testing/start-server.ts';
import { describeEachStore } from './testing/each-store.ts';

const WRONG_TOKEN = 'f'.repeat(48);
const NOBODY = 'e'.repeat(32);
const ACTIONS = ['join', 'send', 'leave'] as const;

function expectError(answer: Answer<object>, status: number, error: string): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: { error } });
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
}

/** Rows that need time to pass or a limit to be reached are in lifecycle.test.ts and limits.test.ts. */
describeEachStore('channel › errors (checklist 9)', (startOn) => {
  let server: TestServer;
  let client: ChannelClient;
  let channel: Channel;
  let peer: Peer;

  beforeAll(async () => {
    server = await startOn({ rateLimits: false, chMaxParticipants: 2 });
    client = new ChannelClient(server);
    channel = await client.create();
    peer = await channel.join('a');
    await channel.join('b');
  });
  afterAll(() => server.close());

  const post = (action: string, body: unknown, headers = {}): Promise<Answer> =>
    client.post(`${channel.path}/${action}`, body, { headers });
  const poll = (query: Record<string, string | number>, id = channel.id): Promise<Answer> =>
    client.call('GET', `/channels/${id}/poll`, { query });

  describe('invalid_json', () => {
    const bodies: [string, string | Buffer | undefined][] = [
      ['no body', undefined],
      ['an empty body', ''],
      ['white space', '  \n '],
      ['half an object', '{"token":'],
      ['a trailing comma', '{"token":"x",}'],
      ['two objects', '{}{}'],
      ['a form', 'token=x&name=y'],
      ['single quotes', "{'token':'x'}"],
      ['NaN', 'NaN'],
      ['a byte order mark', '\ufeff{}'],
      ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
      ['a cut UTF-8 sequence', Buffer.from('"é').subarray(0, 2)],
      ['UTF-16', Buffer.from('{"token":"x"}', 'utf16le')],
      ['a raw NUL', Buffer.from([0])],
      ['an open array, nested deeply', '['.repeat(100_000)],
    ];
    test.each(ACTIONS.flatMap((action) => bodies.map((row) => [action, ...row] as const)))(
      '%s: %s',
      async (action, _label, body) => {
        expectError(await post(action, body), 400, 'invalid_json');
      },
    );

    test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'x', ''])(
      'whatever the content type is called (%j)',
      async (type) => {
        expectError(await post('join', '{', { 'content-type': type }), 400, 'invalid_json');
        expectError(await post('join', undefined, { 'content-type': type }), 400, 'invalid_json');
      },
    );

    test('also for a chunked body that is empty', async () => {
      expectError(await post('send', '', { 'transfer-encoding': 'chunked' }), 400, 'invalid_json');
    });
  });

  describe('missing fields', () => {
    const codes = {
      join: 'missing_token_or_name',
      send: 'missing_token_participant_id_or_text',
      leave: 'missing_token_or_participant_id',
    };
    const needed = {
      join: ['token', 'name'],
      send: ['token', 'participant_id'],
      leave: ['token', 'participant_id'],
    };
    const whole = { token: 'x', name: 'x', participant_id: 'x', text: 'x' };

    const notObjects = ['[]', '[1]', '"text"', '7', 'true', 'false', 'null', '[["a"]]'];
    test.each(ACTIONS.flatMap((action) => notObjects.map((body) => [action, body] as const)))(
      '%s: a body that is %s',
      async (action, body) => {
        expectError(await post(action, body), 400, codes[action]);
      },
    );

    const empty: [string, unknown][] = [
      ['absent', undefined],
      ['null', null],
      ['""', ''],
      ['0', 0],
      ['false', false],
    ];
    test.each(
      ACTIONS.flatMap((action) =>
        needed[action].flatMap((field) => empty.map((row) => [action, field, ...row] as const)),
      ),
    )('%s: %s is %s', async (action, field, _label, value) => {
      expectError(await post(action, { ...whole, [field]: value }), 400, codes[action]);
    });

    test('send: text is absent', async () => {
      expectError(await post('send', { token: 'x', participant_id: 'x' }), 400, codes.send);
    });

    test('are not found on the prototype', async () => {
      const body = '{"__proto__":{"token":"x","name":"x","participant_id":"x","text":"x"}}';
      for (const action of ACTIONS) expectError(await post(action, body), 400, codes[action]);
    });

    test('poll: token or participant_id is absent or empty', async () => {
      const { token } = channel;
      const queries: Record<string, string>[] = [
        {},
        { token },
        { participant_id: peer.id },
        { token: '', participant_id: peer.id },
        { token, participant_id: '' },
      ];
      for (const query of queries) expectError(await poll(query), 400, 'missing_or_invalid_query');
    });
  });

  describe('channel_or_token_invalid (checklist 8)', () => {
    const places: [string, (unknown: string) => { id: string; token: string }][] = [
      ['a wrong token', () => ({ id: channel.id, token: WRONG_TOKEN })],
      ['a token cut short', () => ({ id: channel.id, token: channel.token.slice(0, -1) })],
      ['a token in capitals', () => ({ id: channel.id, token: channel.token.toUpperCase() })],
      ['an unknown id', (id) => ({ id, token: channel.token })],
      ['an id in capitals', () => ({ id: channel.id.toUpperCase(), token: channel.token })],
      ['an id that is not hex', () => ({ id: 'not-hex', token: channel.token })],
      ['__proto__', () => ({ id: '__proto__', token: channel.token })],
      ['constructor', () => ({ id: 'constructor', token: channel.token })],
      ['a very long id', () => ({ id: 'a'.repeat(2_000), token: channel.token })],
      ['an id with a line break', () => ({ id: '%0A', token: channel.token })],
      ['an id with a slash', () => ({ id: '..%2F..', token: channel.token })],
      ['an id with a malformed escape', () => ({ id: '%zz', token: channel.token })],
      ['an id that is half an escape', () => ({ id: `${channel.id}%`, token: channel.token })],
      ['an id whose escapes are no text', () => ({ id: '%ff%61', token: channel.token })],
    ];
    test.each(places)('is the same answer on all four for %s', async (_label, where) => {
      const { id, token } = where('0'.repeat(32));
      const body = { token, participant_id: peer.id, name: 'c', text: 'x' };
      const answers = await Promise.all([
        ...ACTIONS.map((action) => client.post(`/channels/${id}/${action}`, body)),
        poll({ token, participant_id: peer.id }, id),
      ]);
      for (const answer of answers) expectError(answer, 404, 'channel_or_token_invalid');
    });

    test.each([[{ a: 1 }], [['x']], [1], [true]])('also for a token that is %j', async (token) => {
      const answer = await post('join', { token, name: 'c' });
      expectError(answer, 404, 'channel_or_token_invalid');
    });
  });

  test('invalid_name, channel_full, name_taken on join, in this order', async () => {
    expectError(await channel.tryJoin(' c'), 400, 'invalid_name');
    expectError(await channel.tryJoin('a'), 400, 'channel_full');
    expectError(await channel.tryJoin('c'), 400, 'channel_full');
    const other = await client.create();
    await other.join('a');
    expectError(await other.tryJoin('a'), 400, 'name_taken');
  });

  test.each([NOBODY, 'not hex', { a: 1 }, ['x'], 1])('participant_not_in_channel for %j', async (id) => {
    const { token } = channel;
    const code = 'participant_not_in_channel';
    // The participant is looked at before the text.
    expectError(await post('send', { token, participant_id: id, text: '' }), 400, code);
    expectError(await post('leave', { token, participant_id: id }), 400, code);
    if (typeof id === 'string') expectError(await poll({ token, participant_id: id }), 400, code);
  });

  test('participant_not_in_channel for a participant of another channel', async () => {
    const stranger = await (await client.create()).join('a');
    const answer = await post('send', { token: channel.token, participant_id: stranger.id, text: 'x' });
    expectError(answer, 400, 'participant_not_in_channel');
  });

  test.each(['', null, 0, 1, true, false, ['x'], { text: 'x' }])('empty_text for %j', async (text) => {
    expectError(await peer.send(text), 400, 'empty_text');
  });

  test('text_too_large', async () => {
    expectError(await peer.send('x'.repeat(65_537)), 400, 'text_too_large');
  });

  test('refuses a broken query before it looks the channel up', async () => {
    const query = { token: WRONG_TOKEN, participant_id: NOBODY, since: 'abc' };
    expectError(await poll(query, '0'.repeat(32)), 400, 'missing_or_invalid_query');
  });

  test('looks at the token before the participant, on send, poll and leave', async () => {
    const query = { token: WRONG_TOKEN, participant_id: NOBODY };
    const code = 'channel_or_token_invalid';
    expectError(await post('send', { ...query, text: '' }), 404, code);
    expectError(await post('leave', query), 404, code);
    expectError(await poll(query), 404, code);
  });

  test.each(['/channels', ...ACTIONS])('body_too_large on %s', async (action) => {
    const path = action === '/channels' ? action : `${channel.path}/${action}`;
    const answer = await client.post(path, JSON.stringify({ token: 'x'.repeat(300 * 1024) }));
    expectError(answer, 413, 'body_too_large');
  });

  test.each([
    ['zz', 'aa'],
    ['aa', 'zz'],
    ['aa', ''],
    ['a%0Aa', 'aa'],
    ['aa', "a'%0Aid"],
    ['$(id)', 'aa'],
  ])('invalid_channel_or_token on /c/%s/bootstrap.sh?token=%s', async (id, token) => {
    expectError(await client.get(`/c/${id}/bootstrap.sh?token=${token}`), 400, 'invalid_channel_or_token');
  });

  describe('method_not_allowed', () => {
    const allowed: [string, string][] = [
      ['/channels', 'POST'],
      ['/channels/x/join', 'POST'],
      ['/channels/x/send', 'POST'],
      ['/channels/x/leave', 'POST'],
      ['/channels/x/poll', 'GET'],
    ];
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
    const rows = allowed.flatMap(([path, allow]) =>
      methods.filter((method) => method !== allow).map((method) => [method, path, allow] as const),
    );
    test.each(rows)('%s %s', async (method, path, allow) => {
      const answer = await client.call(method, path);
      expectError(answer, 405, 'method_not_allowed');
      expect(answer.headers.allow).toBe(allow);
    });

    test.each(allowed)('HEAD %s', async (path, allow) => {
      const answer = await client.call('HEAD', path);
      expect([answer.status, answer.headers.allow, answer.text]).toEqual([405, allow, '']);
    });

    test('gives no cross-origin permission', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      const preflight = await client.call('OPTIONS', `${channel.path}/join`, { headers });
      const plain = await client.call('POST', '/channels', { headers });
      for (const { headers: answered } of [preflight, plain]) {
        expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    });
  });

  test('internal_error tells a request id and nothing else', async () => {
    let failing = false;
    const hex = (bytes: number): string => {
      if (failing) throw new Error('secret detail');
      return systemRandom.hex(bytes);
    };
    const broken = await startOn({ random: { ...systemRandom, hex } });
    failing = true;
    const answer = await new ChannelClient(broken).call('POST', '/channels');
    expect(answer.status).toBe(500);
    expect(Object.keys(answer.body)).toEqual(['error', 'request_id']);
    expect(answer.body.error).toBe('internal_error');
    expect(answer.text).not.toContain('secret detail');
    const logged = broken.logs.find(({ event }) => event === 'unexpected_error');
    expect(logged).toMatchObject({ request_id: answer.body.request_id, error: 'secret detail' });
    await broken.close();
  });
});
