import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FakeRuntime } from '../bridge/testing/fake-runtime.ts';
import { Terminal } from '../testing/run-parley.ts';
import { VERSION } from './version.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('aya', () => {
  let server: TestServer;
  let ann: Terminal;
  const home = (...names: string[]): string => join(ann.home, '.areyouai', ...names);
  const read = (file: string) => JSON.parse(readFileSync(home(file), 'utf8'));
  const aya = (...args: string[]) => ann.run(args);
  const json = async (...args: string[]) => JSON.parse((await aya(...args)).stdout);
  const init = (...more: string[]) =>
    aya('init', '--aya-api-base-url', server.url, '--openclaw-hook-token', 'hook-1', ...more);
  const key = async (): Promise<string> => (await new RoomClient(server).agent()).apiKey;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    ann = new Terminal({}, 'aya');
  });
  afterEach(() => ann.remove());

  test('is one file that needs no other', () => {
    const bundle = readFileSync(new URL('../../dist/aya.cjs', import.meta.url), 'utf8');
    const required = new Set([...bundle.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name));
    expect([...required].filter((name) => !name?.startsWith('node:'))).toEqual([]);
    expect(bundle).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('says its version, which is that of its package', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(VERSION).toBe(manifest.version);
    expect((await aya('--version')).stdout).toBe(`${VERSION}\n`);
  });

  describe('init', () => {
    test('makes folders and configuration for this user alone', async () => {
      const { stdout, code } = await aya('init');
      expect({ code, ...JSON.parse(stdout) }).toEqual({
        code: 0,
        ok: true,
        config_path: home('config.json'),
      });
      for (const folder of ['', 'tokens', 'wake-queue', 'logs']) expect(mode(home(folder))).toBe(0o700);
      expect(mode(home('config.json'))).toBe(0o600);
      expect(read('config.json')).toEqual({
        aya: {
          api_base_url: 'http://127.0.0.1:7330',
          token_refresh_threshold_seconds: 60,
          reconnect: { base_delay_ms: 1000, max_delay_ms: 10000, jitter_ms: 250 },
          wake_retry_interval_ms: 5000,
        },
        openclaw: { hook_url: 'http://127.0.0.1:18789/hooks/agent', hook_token: '', agent_id: 'main' },
        storage: {
          base_dir: '~/.areyouai',
          token_dir: '~/.areyouai/tokens',
          wake_queue_dir: '~/.areyouai/wake-queue',
          log_dir: '~/.areyouai/logs',
        },
      });
    });

    test('leaves an existing configuration alone, unless told otherwise', async () => {
      await init();
      const before = readFileSync(home('config.json'), 'utf8');
      expect(await json('init', '--openclaw-agent-id', 'other')).toEqual({
        ok: true,
        config_path: home('config.json'),
        reused: true,
      });
      expect(readFileSync(home('config.json'), 'utf8')).toBe(before);
      const kept = {
        ...read('config.json'),
        note: 'mine',
        openclaw: { ...read('config.json').openclaw, x: 1 },
      };
      writeFileSync(home('config.json'), JSON.stringify(kept));
      await aya('init', '--force', '--openclaw-agent-id', 'other', '--generate-hook-token');
      expect(read('config.json')).toMatchObject({
        note: 'mine',
        aya: { api_base_url: server.url },
        openclaw: { x: 1, agent_id: 'other', hook_token: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
    });

    test.each([
      [['--aya-api-base-url', 'ftp://x'], 'not an http or https URL'],
      [['--aya-api-base-url', 'http://parley.example'], 'unencrypted'],
      [['--openclaw-hook-url', 'http://10.0.0.7:18789/hooks/agent'], 'not on this machine'],
    ])('refuses %j', async (args, words) => {
      const { code, stdout, stderr } = await aya('init', ...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(words);
      expect(existsSync(home('config.json'))).toBe(false);
    });

    test('takes them when they are allowed, and remembers that', async () => {
      const urls = [
        '--aya-api-base-url',
        'http://parley.example/',
        '--openclaw-hook-url',
        'http://10.0.0.7/h',
      ];
      expect((await aya('init', ...urls, '--insecure', '--allow-remote-hook')).code).toBe(0);
      expect(await json('status')).toMatchObject({
        api_base_url: 'http://parley.example',
        hook_url: 'http://10.0.0.7/h',
      });
    });

    test('never takes a broken configuration for none', async () => {
      mkdirSync(home(), { recursive: true });
      writeFileSync(home('config.json'), '{ "aya": ');
      expect((await init('--force')).code).toBe(2);
      expect(readFileSync(home('config.json'), 'utf8')).toBe('{ "aya": ');
    });

    test('keeps everything where --home or AYA_HOME says', async () => {
      const other = join(ann.home, 'elsewhere');
      expect(await json('init', '--home', other)).toMatchObject({ config_path: join(other, 'config.json') });
      expect(readdirSync(other).toSorted()).toEqual(['config.json', 'logs', 'tokens', 'wake-queue']);
      const env = new Terminal({ AYA_HOME: other }, 'aya');
      expect((await env.run(['status'])).code).toBe(0);
      env.remove();
      expect(existsSync(home())).toBe(false);
    });
  });

  describe('login', () => {
    test('keeps key and session for this user alone, and shows neither', async () => {
      await init();
      const secret = await key();
      const { code, stdout, stderr } = await ann.run(['login', '--stdin'], `  ${secret}\n`);
      expect({ code, ...JSON.parse(stdout) }).toEqual({
        code: 0,
        ok: true,
        session_path: home('session.json'),
      });
      expect(stdout + stderr).not.toContain(secret);
      expect(read('session.json')).toEqual({
        api_key: secret,
        session_token: expect.stringMatching(/^as_/),
        agent_id: expect.stringMatching(/^agt_/),
        updated_at: expect.any(String),
      });
      expect(mode(home('session.json'))).toBe(0o600);
    });

    test('takes the key as an option or from AYA_API_KEY', async () => {
      await init();
      expect((await aya('login', '--api-key', await key())).code).toBe(0);
      const secret = await key();
      const env = new Terminal({ AYA_API_KEY: secret, HOME: ann.home }, 'aya');
      const { code } = await env.run(['login']);
      env.remove();
      expect(code).toBe(0);
      expect(read('session.json').api_key).toBe(secret);
    });

    test.each([
      ['an option without its value', ['login', '--api-key'], '', 2],
      ['an option in place of its value', ['login', '--api-key', '--stdin'], 'ak_x', 2],
      ['an empty key', ['login', '--stdin'], ' \n', 3],
      ['no key at all', ['login'], '', 3],
      ['a key nobody has', ['login', '--stdin'], 'ak_nobody', 3],
    ])('refuses %s, and an earlier session stays', async (_what, args, input, code) => {
      await init();
      await ann.run(['login', '--stdin'], await key());
      const before = read('session.json');
      const failed = await ann.run(args, input);
      expect(failed).toMatchObject({ code, stdout: '' });
      expect(failed.stderr).toMatch(/^aya: /);
      expect(read('session.json')).toEqual(before);
    });

    test('needs a configuration, and a server', async () => {
      expect((await ann.run(['login', '--stdin'], 'ak_x')).code).toBe(2);
      await aya('init', '--aya-api-base-url', 'http://127.0.0.1:1');
      expect((await ann.run(['login', '--stdin'], 'ak_x')).code).toBe(1);
    });
  });

  test('logout ends the session at the server, and keeps everything else', async () => {
    expect((await aya('logout')).code).toBe(2);
    await init();
    await ann.run(['login', '--stdin'], await key());
    const { session_token: token } = read('session.json');
    writeFileSync(home('tokens', 'room_x.json'), '{}');
    expect(await json('logout')).toEqual({ ok: true, session_path: home('session.json'), removed: true });
    expect(existsSync(home('session.json'))).toBe(false);
    expect(readdirSync(home('tokens'))).toEqual(['room_x.json']);
    const { status } = await new RoomClient(server).call('GET', '/v1/agent/actionable-rooms', { key: token });
    expect(status).toBe(401);
  });

  describe('status', () => {
    test('reads the files and asks nobody', async () => {
      await aya('init', '--aya-api-base-url', 'http://127.0.0.1:1');
      expect(await json('status')).toEqual({
        version: VERSION,
        api_base_url: 'http://127.0.0.1:1',
        hook_url: 'http://127.0.0.1:18789/hooks/agent',
        agent_id: '',
        has_session: false,
        last_acknowledged_delivery_id: '',
        last_connected_at: null,
        last_stream_status: 'idle',
        token_file_count: 0,
        wake_queue_count: 0,
        serving: false,
        oldest_wake_age_seconds: null,
        session_age_seconds: null,
      });
      const received = new Date(Date.now() - 90_000).toISOString();
      const job = { delivery_id: 'dly_1', room_id: 'room_1', received_at: received };
      writeFileSync(home('wake-queue', 'dly_1.json'), JSON.stringify(job));
      writeFileSync(home('tokens', 'room_1.json'), '{}');
      const age = (await json('status')).oldest_wake_age_seconds;
      expect(await json('status')).toMatchObject({ token_file_count: 1, wake_queue_count: 1 });
      expect(age).toBeGreaterThanOrEqual(90);
    });

    test.each(['config.json', 'session.json', 'state.json', 'tokens/room_1.json', 'wake-queue/dly_1.json'])(
      'a broken %s is told',
      async (file) => {
        await init();
        writeFileSync(home(file), 'not JSON');
        const { code, stderr } = await aya('status');
        expect(code).toBe(2);
        expect(stderr).toContain(home(file));
      },
    );

    test('needs a configuration', async () => {
      expect((await aya('status')).code).toBe(2);
    });
  });

  test('service print fills in user and home, and keeps a wrong key from looping', async () => {
    const { stdout } = await aya('service', 'print');
    expect(stdout).toContain(`User=${userInfo().username}\n`);
    expect(stdout).toContain(`Environment=HOME=${ann.home}\n`);
    expect(stdout).toContain('ExecStart=/usr/bin/env aya serve\n');
    expect(stdout).toContain('RestartPreventExitStatus=2 3\n');
    expect(stdout).not.toContain('AYA_HOME');
    const elsewhere = await aya('service', 'print', '--home', '/srv/aya');
    expect(elsewhere.stdout).toContain('Environment=AYA_HOME=/srv/aya\n');
    const launchd = await aya('service', 'print', '--format', 'launchd');
    expect(launchd.stdout).toContain(`<string>${ann.home}</string>`);
    expect(homedir()).not.toBe(ann.home);
  });

  describe('by hand', () => {
    let runtime: FakeRuntime;

    beforeEach(async () => {
      runtime = await new FakeRuntime().listen();
      await init('--openclaw-hook-url', runtime.url);
    });
    afterEach(() => runtime.close());

    test('a room is woken and shown', async () => {
      const room = await new RoomClient(server).room();
      await ann.run(['login', '--stdin'], room.a.apiKey);
      expect(await json('wake', '--room', room.id)).toEqual({
        ok: true,
        delivery_id: `manual-${room.id}-0`,
        room_id: room.id,
        woken: true,
      });
      expect(runtime.wakes).toMatchObject([{ room_id: room.id, reason: 'manual', next_turn: 0 }]);
      expect(await json('room', room.id)).toMatchObject({ id: room.id, state: 'ACTIVE' });
      // As often as somebody asks for it.
      expect((await aya('wake', '--room', room.id)).code).toBe(0);
      expect(runtime.wakes).toHaveLength(2);
      runtime.work = () => 500;
      const failed = await aya('wake', '--room', room.id);
      expect(failed.code).toBe(5);
      expect(failed.stderr).toContain('the hook answered with 500');
      await room.a.send(room.id, 'hello');
      expect((await aya('wake', '--room', room.id)).code).toBe(5);
      expect(readdirSync(home('wake-queue'))).toEqual([]);
      expect((await aya('wake', '--room', '../x')).code).toBe(2);
    });

    test('the queue is shown, and what waits in it given up', async () => {
      for (const id of ['dly_1', 'dly_2', 'dly_3']) {
        const room = id === 'dly_1' ? 'room_1' : 'room_2';
        const job = { delivery_id: id, room_id: room, received_at: `2026-01-01T00:00:0${id.at(-1)}Z` };
        writeFileSync(home('wake-queue', `${id}.json`), JSON.stringify(job));
      }
      const { wakes } = await json('queue', 'list');
      expect(wakes.map((wake: { delivery_id: string }) => wake.delivery_id)).toEqual([
        'dly_1',
        'dly_2',
        'dly_3',
      ]);
      expect(await json('queue', 'drop', 'dly_2')).toEqual({ ok: true, dropped: ['dly_2'] });
      expect(await json('queue', 'drop', 'room_1')).toEqual({ ok: true, dropped: ['dly_1'] });
      expect((await aya('queue', 'drop', 'dly_9')).code).toBe(1);
      expect(await json('queue', 'drop', 'all')).toEqual({ ok: true, dropped: ['dly_3'] });
      expect(readdirSync(home('wake-queue'))).toEqual([]);
    });
  });

  test('the commands of its page run as they stand', async () => {
    const page = readFileSync(new URL('../../../../docs/bridge.md', import.meta.url), 'utf8');
    const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
      block
        .trim()
        .split('\n')
        .filter((line) => line.includes('npx aya')),
    );
    expect(lines.length).toBeGreaterThan(6);
    const runtime = await new FakeRuntime().listen();
    for (const line of lines) {
      const [, program = '', words = ''] = /^(.*\| )?npx aya (.*)$/.exec(line) ?? [];
      const args = words.replace(/http:\S+/, server.url).split(' ');
      if (args[0] === 'init') args.push('--openclaw-hook-url', runtime.url);
      if (args[0] === 'serve') args.push('--once');
      const { code, stderr } = await ann.run(args, program === '' ? '' : await key());
      expect(code, `${line}\n${stderr}`).toBe(0);
    }
    await runtime.close();
  });

  test('wrong use is told in one line and ends with 2', async () => {
    for (const args of [['sreve'], ['serve', '--log-level', 'loud'], ['wake'], ['login', '--nonsense']]) {
      const { code, stdout, stderr } = await aya(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^aya: .+\n$/);
    }
    expect((await aya('sreve')).stderr).toContain('serve');
  });

  test('serve needs a hook token and a login, and says so with the exit code', async () => {
    await aya('init', '--aya-api-base-url', server.url);
    expect((await aya('serve')).code).toBe(2);
    await init('--force');
    const { code, stderr } = await aya('serve');
    expect(code).toBe(3);
    expect(stderr).toContain('aya login');
    chmodSync(home(), 0o755);
    await aya('serve');
    expect(mode(home())).toBe(0o700);
  });
});
