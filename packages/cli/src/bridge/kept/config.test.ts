import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@parley/protocol/json';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkedServerUrl, hookUrl, readConfig, requireConfig } from './config.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-kept-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const inHome = (name: string): string => join(home, name);

describe('configuration of the bridge', () => {
  test('what it does not say has its default', () => {
    const said = readConfig({}, home);
    expect({ ...said, hook: { ...said.hook, url: said.hook.url.href } }).toEqual({
      apiBaseUrl: 'http://127.0.0.1:7330',
      tokenThresholdMs: 60_000,
      reconnect: { baseDelayMs: 1000, maxDelayMs: 10_000, jitterMs: 250 },
      wakeRetryMs: 5000,
      hook: {
        url: 'http://127.0.0.1:18789/hooks/agent',
        token: undefined,
        agentId: 'main',
        timeoutSeconds: 120,
      },
      places: {
        config: inHome('config.json'),
        base: home,
        session: inHome('session.json'),
        state: inHome('state.json'),
        lock: inHome('aya.lock'),
        tokens: inHome('tokens'),
        queue: inHome('wake-queue'),
        logs: inHome('logs'),
      },
    });
  });

  test('what it says holds, and nothing waits for no time at all', () => {
    const aya = {
      api_base_url: ' https://sea.example/p/ ',
      token_refresh_threshold_seconds: 0,
      wake_retry_interval_ms: 0,
    };
    const openclaw = { hook_token: 't', agent_id: ' ', timeout_seconds: 0 };
    const storage = { base_dir: '/base', log_dir: '/logs' };
    const said = readConfig({ aya: { ...aya, reconnect: { jitter_ms: 0 } }, openclaw, storage }, home);
    expect(said).toMatchObject({
      apiBaseUrl: 'https://sea.example/p',
      tokenThresholdMs: 0,
      reconnect: { baseDelayMs: 1000, jitterMs: 0 },
      wakeRetryMs: 1,
      hook: { token: 't', agentId: 'main', timeoutSeconds: 1 },
      places: {
        config: inHome('config.json'),
        state: '/base/state.json',
        tokens: '/base/tokens',
        logs: '/logs',
      },
    });
  });

  test.each([
    [{ aya: [] }, /aya in the configuration is not an object/],
    [{ aya: { reconnect: 1 } }, /aya\.reconnect in the configuration is not an object/],
    [
      { aya: { reconnect: { jitter_ms: -1 } } },
      /aya\.reconnect\.jitter_ms in the configuration is not a whole number/,
    ],
    [{ aya: { wake_retry_interval_ms: 1.5 } }, /aya\.wake_retry_interval_ms/],
    [{ openclaw: { hook_token: 5 } }, /openclaw\.hook_token in the configuration is not a text/],
    [
      { openclaw: { hook_url: 'http://sea.example' } },
      /openclaw\.hook_url http:\/\/sea\.example is not on this machine/,
    ],
    [{ aya: { api_base_url: 'http://sea.example' } }, /would carry the key unencrypted/],
  ])('%j is refused', (raw, said) => {
    expect(() => readConfig(raw as JsonObject, home)).toThrow(said);
  });

  test('what would carry secrets away must be allowed, by the command line or the configuration', () => {
    const [aya, openclaw] = [{ api_base_url: 'http://sea.example' }, { hook_url: 'http://sea.example/h' }];
    const allowed = { insecure: true, allowRemoteHook: true };
    expect(readConfig({ aya, openclaw }, home, allowed).apiBaseUrl).toBe('http://sea.example');
    expect(() => readConfig({ aya, openclaw }, home, { insecure: true })).toThrow('not on this machine');
    const both = {
      aya: { ...aya, allow_insecure: true },
      openclaw: { ...openclaw, allow_remote_hook: true },
    };
    expect(readConfig(both, home).hook.url.href).toBe('http://sea.example/h');
    expect(() => readConfig({ ...both, aya: { ...aya, allow_insecure: 'yes' } }, home)).toThrow(
      'unencrypted',
    );
    for (const here of ['http://localhost:1', 'http://a.localhost', 'http://127.9.9.9', 'http://[::1]:5']) {
      expect([checkedServerUrl('k', here, false), hookUrl('k', here, false).href]).toEqual([
        here,
        `${here}/`,
      ]);
    }
    for (const there of ['http://127.0.0.1.example', 'http://notlocalhost']) {
      expect(() => checkedServerUrl('k', there, false)).toThrow('unencrypted');
    }
    for (const wrong of ['ftp://a', 'nonsense', 'https://u@a', 'https://:p@a']) {
      expect(() => checkedServerUrl('k', wrong, true)).toThrow(/^k "\S+" is not an http or https URL$/);
    }
    for (const more of ['https://a/?b', 'https://a/#b']) {
      expect(() => checkedServerUrl('k', more, true)).toThrow('has more than a path');
    }
  });

  test('one that is missing or broken is told', () => {
    expect(() => requireConfig(home)).toThrow(`there is no ${inHome('config.json')}`);
    writeFileSync(inHome('config.json'), '[]');
    expect(() => requireConfig(home)).toThrow('config.json is not a JSON object');
    writeFileSync(inHome('config.json'), '{}');
    expect(requireConfig(home).wakeRetryMs).toBe(5000);
  });
});
