import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Channel, ChannelClient, type Peer } from '../testing/channel-client.ts';
import { head, RawSocket } from '../testing/raw-socket.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';

const statusLine = async (socket: RawSocket): Promise<string> =>
  (await socket.until(/\r\n\r\n/)).split('\r\n')[0] ?? '';

/** What a caller may do who follows no rule at all. After each attack the server must be as healthy as before. */
describe('channel › hostile callers', () => {
  let server: TestServer;
  let client: ChannelClient;
  let channel: Channel;
  let peer: Peer;
  const sockets: RawSocket[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    client = new ChannelClient(server);
    channel = await client.create();
    peer = await channel.join('a');
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await client.parked(0);
    expect((await peer.send('still here')).status).toBe(200);
    expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
  afterAll(() => server.close());

  function open(url = server.url): RawSocket {
    const socket = new RawSocket(url);
    sockets.push(socket);
    return socket;
  }
  /** Past any proxy, which refuses some of it by itself and hands on one request of a connection after the other. */
  const openDirect = (): RawSocket => open(server.nodes[0]?.url);
  const say = (...lines: string[]): RawSocket => open().write(head(...lines));
  const pollPath = (since: number): string =>
    `${channel.path}/poll?token=${channel.token}&participant_id=${peer.id}&since=${since}`;

  const park = async (socket = open()): Promise<RawSocket> => {
    socket.write(head(`GET ${pollPath(9_999)} HTTP/1.1`, 'Host: a'));
    await client.parked(1);
    return socket;
  };

  describe('abandoned polls', () => {
    test('are un-parked when the connection breaks', async () => {
      (await park()).destroy();
      await client.parked(0);
    });

    test('are un-parked when the client closes its half', async () => {
      (await park()).halfClose();
      await client.parked(0);
    });

    test('are un-parked when the client sends nonsense behind the request', async () => {
      (await park(openDirect())).write('\u0000\u0001 nonsense\r\n\r\n');
      await client.parked(0);
    });

    test('are un-parked on a connection that holds several', async () => {
      const request = head(`GET ${pollPath(9_999)} HTTP/1.1`, 'Host: a');
      const socket = openDirect().write(request.repeat(3));
      await client.parked(3);
      socket.destroy();
      await client.parked(0);
    });

    test('do not pile up beyond four, however many are sent', async () => {
      const request = head(`GET ${pollPath(9_999)} HTTP/1.1`, 'Host: a');
      for (let n = 0; n < 10; n++) openDirect().write(request.repeat(5));
      await client.parked(4);
      for (let look = 0; look < 20; look++) expect(await client.metric('agentalk_polls_parked')).toBe(4);
    });
  });

  test('pipelined requests are answered in order', async () => {
    const body = JSON.stringify({ token: channel.token, participant_id: peer.id, text: 'pipelined' });
    const socket = open().write(
      head(`GET ${pollPath(0)}&wait=0 HTTP/1.1`, 'Host: a') +
        head(`POST ${channel.path}/send HTTP/1.1`, 'Host: a', `Content-Length: ${body.length}`) +
        body +
        head('GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close'),
    );
    const answers = await socket.untilClosed();
    expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
    expect(answers.indexOf('"messages"')).toBeLessThan(answers.indexOf('"ok":true,"index"'));
    expect(answers.indexOf('"ok":true,"index"')).toBeLessThan(answers.indexOf('"status":"ok"'));
  });

  test('a poll and the send that answers it, in one write', async () => {
    const { cursor } = (await peer.poll({ since: 0, wait: 0 })).body;
    const body = JSON.stringify({ token: channel.token, participant_id: peer.id, text: 'to myself' });
    const socket = openDirect().write(
      head(`GET ${pollPath(cursor)} HTTP/1.1`, 'Host: a') +
        head(
          `POST ${channel.path}/send HTTP/1.1`,
          'Host: a',
          `Content-Length: ${body.length}`,
          'Connection: close',
        ) +
        body,
    );
    expect(await socket.untilClosed()).toContain('to myself');
  });

  test('Expect: 100-continue gets its go-ahead, then the answer', async () => {
    const body = JSON.stringify({ token: channel.token, participant_id: peer.id, text: 'asked first' });
    const socket = say(
      `POST ${channel.path}/send HTTP/1.1`,
      'Host: a',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      'Connection: close',
    );
    expect(await socket.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 100 Continue/);
    socket.write(body);
    expect(await socket.untilClosed()).toMatch(/200 OK[^]*"ok":true/);
  });

  test('a body that trickles in is waited for, and harms nobody meanwhile', async () => {
    const body = JSON.stringify({ token: channel.token, participant_id: peer.id, text: 'slow' });
    const socket = say(
      `POST ${channel.path}/send HTTP/1.1`,
      'Host: a',
      `Content-Length: ${body.length}`,
      'Connection: close',
    );
    for (const byte of body.slice(0, 20)) socket.write(byte);
    expect((await peer.send('fast')).status).toBe(200);
    socket.write(body.slice(20));
    expect(await socket.untilClosed()).toContain('"ok":true');
  });

  test('a body that breaks off is no send and no server error', async () => {
    const { cursor } = (await peer.poll({ wait: 0 })).body;
    const asks = ['Host: a', 'Content-Length: 500', 'Expect: 100-continue'];
    const socket = say(`POST ${channel.path}/send HTTP/1.1`, ...asks);
    await socket.until(/100 Continue/);
    socket.write('{"token":"').destroy();
    for (let look = 0; look < 20; look++) await client.get('/health');
    expect((await peer.poll({ since: 0, wait: 0 })).body.cursor).toBe(cursor);
    const failed = server.logs.filter(({ status }) => typeof status === 'number' && status >= 500);
    expect(failed).toEqual([]);
  });

  const nonsense: [string, string, RegExp][] = [
    ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['a TLS hello', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['no Host', 'GET /llms.txt HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'two content lengths',
      'POST /channels HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a length and chunks',
      'POST /channels HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a broken chunk',
      'POST /channels HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a header with a line break',
      'GET / HTTP/1.1\r\nHost: localhost\r\nX: a\nb: c\r\n\r\n',
      /^HTTP\/1\.1 (400|200) /,
    ],
    [
      'huge headers',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      'a huge path',
      `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      /^HTTP\/1\.1 (400|414|431) /,
    ],
    ['an unknown method', 'BREW /channels HTTP/1.1\r\nHost: localhost\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', /^(?!HTTP\/1\.1 2)/],
    [
      'an upgrade',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      /^HTTP\/1\.1 (200|400|426) /,
    ],
    [
      'a bad escape',
      'GET /channels/%zz/poll?token=a&participant_id=b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 404 /,
    ],
    [
      'a bad escape in a link',
      'GET /c/%zz?token=a HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 400 [^]*text\/html/,
    ],
    ['a NUL escape', 'GET /%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 404 /],
    [
      'an overlong escape',
      'GET /%c0%ae HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 4\d\d /,
    ],
    [
      'an absolute target',
      'GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 (200|404) /,
    ],
    ...['http://', 'http://[/', 'http://[::1', 'http://a:99999999/', 'https://%zz/', 'http://?a=%zz'].map(
      (target): [string, string, RegExp] => [
        `the unreadable absolute target ${target}`,
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        /^HTTP\/1\.1 404 /,
      ],
    ),
    [
      'an asterisk',
      'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 4\d\d /,
    ],
  ];
  test.each(nonsense)('%s gets an answer of the right class', async (_label, bytes, expected) => {
    const socket = openDirect().write(bytes);
    const answer = await socket.until(/\r\n\r\n/);
    expect(answer).toMatch(expected);
    expect(answer).not.toMatch(/node_modules|at \w+ \(|\.ts:/);
  });

  test.each([
    ['an empty Host', 'GET /llms.txt HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
    ['HTTP/1.0 without Host', 'GET /llms.txt HTTP/1.0\r\n\r\n'],
  ])('%s is an invalid host', async (_label, bytes) => {
    expect(await open().write(bytes).untilClosed()).toMatch(/^HTTP\/1\.1 400 [^]*"invalid_host"/);
  });

  test('two Host lines do not reach a page', async () => {
    const socket = say('GET /llms.txt HTTP/1.1', 'Host: a', 'Host: evil.example', 'Connection: close');
    const answer = await socket.untilClosed();
    expect(answer).not.toContain('evil.example');
  });

  test('a forwarded scheme or host is not believed from a stranger', async () => {
    // Past the proxy of several nodes, which these are told to believe.
    const { text } = await new ChannelClient(server.nodes[0] ?? server).get('/llms.txt', {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example;proto=https',
    });
    expect(text).not.toContain('https://127.0.0.1');
    expect(text).not.toContain('evil.example');
  });

  test('parameters given twice count once', async () => {
    const { token } = channel;
    const query = `token=${token}&token=x&participant_id=${peer.id}&participant_id=y&since=0&since=abc&wait=0&wait=9`;
    const twice = await client.get(`${channel.path}/poll?${query}`);
    expect(twice.status).toBe(200);
    const wrongFirst = await client.get(`${channel.path}/poll?token=x&${query}`);
    expect(wrongFirst.status).toBe(404);
  });

  test.each([
    'token[]=x',
    'token[$ne]=x',
    '__proto__[token]=x',
    'constructor.prototype=x',
    '%',
    '%zz=1',
    '&&&==',
  ])('the query %s is an incomplete one', async (query) => {
    const answer = await client.get(`${channel.path}/poll?${query}`);
    expect([answer.status, answer.body]).toEqual([400, { error: 'missing_or_invalid_query' }]);
  });

  test('hundreds of connections that say nothing do not stop others', async () => {
    for (let n = 0; n < 300; n++) open();
    expect((await client.get('/healthz')).status).toBe(200);
  });

  test('a deeply nested body is read like any other', async () => {
    const deep = `{"token":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)},"name":"x"}`;
    expect((await client.post(`${channel.path}/join`, deep)).status).toBe(404);
  });

  test('a rate-limited body is not read, however long it is', async () => {
    const strict = await startServer({ rlChannelsPerHour: 1 });
    await new ChannelClient(strict).create();
    const socket = new RawSocket(strict.url);
    sockets.push(socket);
    socket.write(head('POST /channels HTTP/1.1', 'Host: a', 'Content-Length: 100000'));
    expect(await statusLine(socket)).toMatch(/429/);
    socket.destroy();
    await strict.close();
  });
});
