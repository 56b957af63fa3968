import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../testing/run-here.ts';
import { type Finding, nodeFinding } from './checks.ts';

describe('parley doctor', () => {
  let server: TestServer;
  let home: string;
  const strangers: Server[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'parley-doctor-'));
    expect((await run(['agent', 'register', 'ann'])).code).toBe(0);
    const init = ['bridge', 'init', 'ann', '--adapter', 'command', '--', 'true'];
    expect((await run(init)).code).toBe(0);
  });
  afterEach(() => {
    for (const each of strangers.splice(0)) each.close();
    rmSync(home, { recursive: true, force: true });
  });

  const run = (args: readonly string[], url = server.url) =>
    runHere(args, '', {
      PARLEY_URL: url,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_STATE_HOME: join(home, 'state'),
      PARLEY_BRIDGE_HOME: join(home, 'bridge'),
    });
  const credentials = () => join(home, 'config/parley/credentials.json');
  const bridgeConfig = () => join(home, 'bridge/config.json');

  async function findings(url?: string): Promise<{ code: number | null; found: Finding[] }> {
    const { code, stdout } = await run(['doctor', '--json'], url);
    return {
      code,
      found: stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Finding),
    };
  }

  /** Exactly one thing is broken, and it is told with a fix. */
  async function expectNamed(check: string, words: RegExp, url?: string): Promise<void> {
    const { code, found } = await findings(url);
    const broken = found.filter(({ state }) => state === 'broken');
    expect([code, broken.map((each) => each.check)]).toEqual([1, [check]]);
    expect(broken[0]?.detail).toMatch(words);
    expect(broken[0]?.fix).not.toBe('');
  }

  async function stranger(answer: RequestListener): Promise<string> {
    const listening = createServer(answer);
    strangers.push(listening);
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  }

  /** Passes everything on but what `instead` answers. */
  const between = (instead: (path: string) => { type: string; body: string } | undefined) =>
    stranger((request, response) => {
      const other = instead(request.url ?? '');
      if (other) {
        response.setHeader('content-type', other.type).end(other.body);
        return;
      }
      void fetch(server.url + request.url, {
        headers: { authorization: request.headers.authorization ?? '' },
      }).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
    });

  /** The same key for another address. */
  function moveTo(url: string): void {
    writeFileSync(credentials(), readFileSync(credentials(), 'utf8').replaceAll(server.url, url));
  }

  function changeBridge(change: (agent: Record<string, unknown>) => void): void {
    const config = JSON.parse(readFileSync(bridgeConfig(), 'utf8')) as {
      agents: { ann: Record<string, unknown> };
    };
    change(config.agents.ann);
    writeFileSync(bridgeConfig(), JSON.stringify(config));
  }

  test('is green on a good set-up, a line for each thing', async () => {
    const { code, found } = await findings();
    expect([code, found.map(({ state }) => state)]).toEqual([0, found.map(() => 'ok')]);
    const checks = found.map(({ check }) => check);
    expect(checks).toEqual([
      'node',
      'server',
      'clock',
      'credentials file',
      'key',
      'stream',
      'bridge ann',
      'runtime ann',
    ]);
    expect((await run(['doctor'])).stdout.split('\n')).toHaveLength(found.length + 1);
  });

  test('names a Node that is too old', () => {
    expect(nodeFinding('20.18.9')).toMatchObject({ state: 'broken', check: 'node' });
    expect(nodeFinding('22.0.0')).toMatchObject({ state: 'ok' });
  });

  test('names a server that is not there', () =>
    expectNamed('server', /no answer .*ECONNREFUSED/, 'http://127.0.0.1:2'));

  test('names an address that is none', () => expectNamed('server', /is no address/, 'nonsense'));

  test('names a server that is no Parley', async () => {
    await expectNamed(
      'server',
      /no Parley server/,
      await stranger((_request, response) => response.end('<h1>It works')),
    );
  });

  test('names a clock that is wrong', async () => {
    const health = (await (await fetch(`${server.url}/health`)).json()) as object;
    const body = JSON.stringify({ ...health, time: new Date(Date.now() - 3_600_000).toISOString() });
    const url = await between((path) =>
      path === '/health' ? { type: 'application/json', body } : undefined,
    );
    moveTo(url);
    const { found } = await findings(url);
    expect(found.find(({ check }) => check === 'clock')).toMatchObject({
      state: 'broken',
      detail: "is 3600 s away from the server's",
    });
  });

  test('names that nobody is logged in', async () => {
    rmSync(dirname(credentials()), { recursive: true });
    await expectNamed('key', /nobody is logged in/);
  });

  test('names a credentials file that others can read', async () => {
    chmodSync(credentials(), 0o644);
    await expectNamed('credentials file', /open to other users/);
  });

  test('names a credentials file that is none', async () => {
    writeFileSync(credentials(), 'scribble');
    await expectNamed('credentials file', /cannot be read/);
  });

  test('names that there is no key for this server', async () => {
    moveTo('http://127.0.0.1:2');
    await expectNamed('key', /there is none for/);
  });

  test('names a key that was revoked', async () => {
    const text = readFileSync(credentials(), 'utf8');
    writeFileSync(credentials(), text.replace(/"ak_[^"]+"/, `"ak_${'a'.repeat(32)}"`));
    await expectNamed('key', /does not know it/);
  });

  test('names a stream that something in between answers', async () => {
    const url = await between((path) =>
      path.startsWith('/v1/agent/stream')
        ? { type: 'text/html', body: '<h1>Welcome to the proxy' }
        : undefined,
    );
    moveTo(url);
    await expectNamed('stream', /something else/, url);
  });

  test('names a stream that ends before anything came', async () => {
    const url = await between((path) =>
      path.startsWith('/v1/agent/stream') ? { type: 'text/event-stream', body: '' } : undefined,
    );
    moveTo(url);
    await expectNamed('stream', /ended before/, url);
  });

  test('names a bridge whose settings others can read', async () => {
    chmodSync(bridgeConfig(), 0o644);
    await expectNamed('bridge', /open to other users/);
  });

  test('names a bridge whose settings are wrong', async () => {
    changeBridge((agent) => (agent['adapter'] = { type: 'pigeon' }));
    await expectNamed('bridge', /adapter is none of/);
  });

  test('names an agent of the bridge without a key', async () => {
    const session = join(home, 'bridge/ann/session.json');
    expect(existsSync(session)).toBe(true);
    rmSync(session);
    await expectNamed('bridge ann', /has no key/);
  });

  test('names wakes that nobody takes', async () => {
    const wake = {
      id: 'w1',
      type: 'message.wake',
      from: 'x',
      data: {},
      delivered_at: '2026-01-01T00:00:00Z',
    };
    mkdirSync(join(home, 'bridge/ann/queue'), { recursive: true });
    writeFileSync(join(home, 'bridge/ann/queue/w1.json'), JSON.stringify(wake), { mode: 0o600 });
    await expectNamed('bridge ann', /1 wakes wait, the oldest since 2026-01-01/);
  });

  test('names a program that is not there', async () => {
    changeBridge((agent) => (agent['adapter'] = { type: 'command', argv: ['no-such-program'] }));
    await expectNamed('runtime ann', /no program no-such-program/);
  });

  test('names a folder that is not there', async () => {
    changeBridge((agent) => (agent['adapter'] = { type: 'file', folder: join(home, 'nowhere') }));
    await expectNamed('runtime ann', /no folder/);
  });

  test('tells a bridge that is paused as a warning only', async () => {
    expect((await run(['bridge', 'pause'])).code).toBe(0);
    const { code, found } = await findings();
    expect(code).toBe(0);
    expect(found).toContainEqual(expect.objectContaining({ check: 'bridge', state: 'warning' }));
  });
});
