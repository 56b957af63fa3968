import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RoomClient, type TestRoom } from '@parley/server/rooms/testing/room-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ServedAgent } from './testing/served-agent.ts';

describe('aya doctor', () => {
  let server: TestServer;
  let room: TestRoom;
  let a: ServedAgent;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    room = await new RoomClient(server).room();
    a = await new ServedAgent(server.url).setUp(room.a);
  });
  afterEach(() => a.close());

  const examine = async () => {
    const { code, stdout, stderr } = await a.terminal.run(['doctor']);
    const { problems, ...checks } = JSON.parse(stdout);
    const wrong = problems.map(({ check }: { check: string }) => check);
    return { code, stderr, checks, wrong };
  };
  const change = (section: 'aya' | 'openclaw' | 'storage', values: object): void => {
    const config = a.read('config.json') as Record<string, object>;
    a.write('config.json', { ...config, [section]: { ...config[section], ...values } });
  };
  const job = (more: object = {}) => ({
    delivery_id: 'dly_1',
    room_id: room.id,
    received_at: '2026-01-01T00:00:00Z',
    ...more,
  });
  /** Something that answers every request alike. */
  const answering = async (status: number, headers: Record<string, string> = {}): Promise<() => void> => {
    const other = createServer((_request, response) => response.writeHead(status, headers).end('{}'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    change('aya', { api_base_url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` });
    return () => {
      other.closeAllConnections();
      other.close();
    };
  };

  test('is green on a good set-up, also while it serves, and wakes nobody', async () => {
    expect(await examine()).toMatchObject({ code: 0, stderr: '', wrong: [], checks: { ok: true } });
    await a.serve();
    await a.runtime.sink.count(1);
    await expect.poll(() => a.files('wake-queue')).toEqual([]);
    const { code, checks, wrong } = await examine();
    expect({ code, wrong }).toEqual({ code: 0, wrong: [] });
    expect(Object.values(checks).filter((value) => value === false)).toEqual([]);
    for (const check of [
      'config_exists',
      'session_exists',
      'token_dir_exists',
      'wake_queue_dir_exists',
      'token_dir_writable',
      'wake_queue_dir_writable',
      'openclaw_hook_configured',
      'api_health',
      'session_valid',
      'hook_reachable',
      'file_modes_ok',
    ]) {
      expect(checks[check], check).toBe(true);
    }
    expect(a.runtime.calls).toHaveLength(1);
  });

  test.each<[string, string[], number, () => void | Promise<void | (() => void)>]>([
    ['no configuration', ['config_exists'], 2, () => rmSync(a.path('config.json'))],
    ['a configuration that is no JSON', ['config_valid'], 2, () => writeFileSync(a.path('config.json'), '{')],
    ['a server that is no URL', ['config_valid'], 2, () => change('aya', { api_base_url: 'parley' })],
    ['a number that is none', ['config_valid'], 2, () => change('aya', { wake_retry_interval_ms: 'soon' })],
    ['a key in the clear', ['config_valid'], 2, () => change('aya', { api_base_url: 'http://203.0.113.9' })],
    ['a hook elsewhere', ['config_valid'], 2, () => change('openclaw', { hook_url: 'http://203.0.113.9/' })],
    ['no hook token', ['openclaw_hook_configured'], 2, () => change('openclaw', { hook_token: '' })],
    ['no runtime', ['hook_reachable'], 0, () => change('openclaw', { hook_url: 'http://127.0.0.1:1/' })],
    ['no server', ['api_health'], 2, () => change('aya', { api_base_url: 'http://127.0.0.1:1' })],
    ['a server that is ill', ['api_health'], 2, () => answering(503)],
    ['a clock that is off', ['clock_ok'], 0, () => answering(200, { date: 'Mon, 01 Jun 2020 09:00:00 GMT' })],
    ['nobody logged in', ['session_exists'], 0, () => rmSync(a.path('session.json'))],
    ['a session that is no JSON', ['session_readable'], 0, () => writeFileSync(a.path('session.json'), '')],
    [
      'a session that was ended',
      ['session_valid'],
      0,
      () => a.write('session.json', { ...a.read('session.json'), session_token: 'as_ended' }),
    ],
    ['a state that is no JSON', ['state_readable'], 0, () => a.write('state.json', [])],
    ['no folder for tokens', ['token_dir_exists'], 2, () => rmSync(a.path('tokens'), { recursive: true })],
    [
      'no folder for wakes',
      ['wake_queue_dir_exists'],
      2,
      () => rmSync(a.path('wake-queue'), { recursive: true }),
    ],
    [
      'tokens that cannot be written',
      ['token_dir_writable', 'file_modes_ok'],
      2,
      () => change('storage', { token_dir: '/proc/self' }),
    ],
    [
      'wakes that cannot be written',
      ['wake_queue_dir_writable', 'file_modes_ok'],
      2,
      () => change('storage', { wake_queue_dir: '/proc/self' }),
    ],
    ['files others may read', ['file_modes_ok'], 0, () => chmodSync(a.path('session.json'), 0o644)],
    [
      'a wake others may read',
      ['file_modes_ok'],
      0,
      () => {
        a.write('wake-queue/dly_1.json', job());
        chmodSync(a.path('wake-queue/dly_1.json'), 0o640);
      },
    ],
    ['a folder others may enter', ['file_modes_ok'], 0, () => chmodSync(a.path(), 0o755)],
    ['a token file that is no JSON', ['tokens_readable'], 0, () => a.write('tokens/room_x.json', [])],
    ['a job that is no JSON', ['queue_readable'], 0, () => a.write('wake-queue/dly_1.json', [])],
    [
      'wakes that are refused',
      ['wakes_flow'],
      0,
      () =>
        a.write('wake-queue/dly_1.json', job({ attempt_count: 7, last_error: 'the hook answered with 401' })),
    ],
    [
      'another bridge for the same agent',
      ['tokens_ours'],
      0,
      async () => {
        a.write(`tokens/${room.id}.json`, await room.a.token(room.id));
        await room.a.token(room.id);
      },
    ],
  ])('names %s', async (_what, expected, exit, breakIt) => {
    const mend = await breakIt();
    const { code, stderr, checks, wrong } = await examine();
    mend?.();
    expect({ code, wrong }).toEqual({ code: exit, wrong: expected });
    expect(checks.ok).toBe(false);
    for (const check of expected) expect(checks[check]).toBe(false);
    expect(stderr.trimEnd().split('\n')).toHaveLength(expected.length);
    expect(stderr).toMatch(/^aya: .+; .+/);
    expect(stderr).not.toContain(room.a.apiKey);
  });
});
