import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepAgent, readAgents } from './daemon-config.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-kept-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const inHome = (name: string): string => join(home, name);

describe('agents of the bridge', () => {
  const server = 'https://sea.example';
  const adapted = (adapter: unknown): unknown => {
    keepAgent(home, 'ann', { server, adapter });
    return readAgents(home)[0]?.adapter;
  };

  test('one is kept beside the others, with its defaults', () => {
    expect(() => readAgents(home)).toThrow(`no agent is set up in ${inHome('config.json')}`);
    writeFileSync(inHome('config.json'), '{"agents":{},"more":1}');
    expect(() => readAgents(home)).toThrow('no agent is set up');
    const adapter = { type: 'stdout' };
    keepAgent(home, 'ann', { server, adapter });
    keepAgent(home, 'bob', {
      server,
      adapter,
      allow: ['*'],
      starts_per_hour: 1,
      concurrency: 2,
      startup: true,
    });
    const usual = { server, adapter, timeoutSeconds: 600 };
    expect(readAgents(home)).toEqual([
      { ...usual, name: 'ann', allow: ['same-owner'], startsPerHour: 30, concurrency: 1, startup: false },
      { ...usual, name: 'bob', allow: ['*'], startsPerHour: 1, concurrency: 2, startup: true },
    ]);
    expect(JSON.parse(readFileSync(inHome('config.json'), 'utf8'))).toHaveProperty('more', 1);
  });

  test('each adapter has what it needs, or is refused', () => {
    expect(adapted({ type: 'command', argv: ['a', 'b'] })).toEqual({
      type: 'command',
      argv: ['a', 'b'],
      input: 'json',
    });
    const command = { type: 'command', argv: ['a'], input: 'prompt', cwd: '/tmp' };
    for (const whole of [
      command,
      { type: 'file', folder: 'f' },
      { type: 'tmux', pane: '%1' },
      { type: 'mcp-channel' },
    ]) {
      expect(adapted(whole)).toEqual(whole);
    }
    expect(adapted({ type: 'http-hook', url: 'http://127.0.0.1:1', token: 't' })).toEqual({
      type: 'http-hook',
      url: 'http://127.0.0.1:1/',
      token: 't',
      agent_id: 'main',
    });
    for (const lacking of [
      { type: 'command', argv: [] },
      { type: 'command', argv: ['a', 1] },
      { type: 'file', folder: '' },
      { type: 'tmux', pane: '-t' },
      { type: 'tmux', pane: 'a b' },
      { type: 'http-hook', url: 'http://127.0.0.1:1', token: '' },
      { type: 'http-hook', token: 't' },
      { type: 'http-hook', url: 'http://127.0.0.1:1', token: 't', agent_id: 1 },
      { type: 'other' },
    ]) {
      expect(() => adapted(lacking)).toThrow(
        /^agent "ann": adapter is none of command, .*, or lacks what that needs$/,
      );
    }
    expect(() => adapted({ type: 'http-hook', url: 'http://sea.example', token: 't' })).toThrow(
      'not on this machine',
    );
  });

  test.each([
    ['a/b', {}, /^agent "a\/b": the name may have letters/],
    ['ann', { server: 1 }, /^agent "ann": server is not a URL$/],
    ['ann', { server: 'http://sea.example' }, /unencrypted/],
    ['ann', { adapter: 'stdout' }, /adapter is not an object/],
    ['ann', { allow: ['a', 1] }, /allow is not a list of texts/],
    ['ann', { concurrency: 0 }, /concurrency is not a whole number from 1/],
    ['ann', { timeout_seconds: '5' }, /timeout_seconds is not a whole number from 1/],
  ])('%s with %j is refused', (name, change, said) => {
    keepAgent(home, name, { server, adapter: { type: 'stdout' }, ...change });
    expect(() => readAgents(home)).toThrow(said);
  });
});
