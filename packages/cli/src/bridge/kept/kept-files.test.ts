import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonFilesIn, removeStrays, writePrivateJson } from './private-json.ts';
import { readSession } from './session-file.ts';
import { StateFile } from './state-file.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-kept-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const inHome = (name: string): string => join(home, name);

const key = (room: string, at: number) =>
  `${room}|${at}` as NonNullable<Parameters<StateFile['complete']>[0]>;

describe('what the bridge keeps', () => {
  test('a session without a key is none; of the rest only what is what it should be', () => {
    const path = inHome('session.json');
    expect(readSession(path)).toBeUndefined();
    for (const wrong of [{}, { api_key: '' }, { api_key: 1 }]) {
      writePrivateJson(path, wrong);
      expect(() => readSession(path)).toThrow('session.json holds no API key');
    }
    writePrivateJson(path, { api_key: 'ak', session_token: 1, agent_id: '../x', updated_at: 2 });
    expect(readSession(path)).toEqual({ api_key: 'ak', session_token: '', agent_id: '', updated_at: '' });
    const whole = { api_key: 'ak', session_token: 'as', agent_id: 'agt_1', updated_at: 'T' };
    writePrivateJson(path, whole);
    expect(readSession(path)).toEqual(whole);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('how far it acknowledged and what was answered, the newest 64, and what others wrote beside it', () => {
    const path = inHome('state.json');
    writePrivateJson(path, { more: 1, last_stream_status: 'dancing', completed_wake_keys: ['r1|1', 5] });
    const state = new StateFile(path);
    expect([state.cursor, state.lastConnectedAt, state.status]).toEqual(['', null, 'idle']);
    expect([state.isCompleted(key('r1', 1)), state.isCompleted(undefined)]).toEqual([true, false]);
    state.connected('T');
    state.acknowledged('d1');
    for (let at = 2; at <= 65; at++) state.complete(key('r2', at));
    const again = new StateFile(path);
    expect([again.cursor, again.lastConnectedAt, again.status]).toEqual(['d1', 'T', 'acked']);
    expect([again.isCompleted(key('r1', 1)), again.isCompleted(key('r2', 2))]).toEqual([false, true]);
    again.forgetRoom('r');
    expect(again.isCompleted(key('r2', 65))).toBe(true);
    again.forgetRoom('r2');
    again.clearCursor();
    again.is('disconnected');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      more: 1,
      last_acknowledged_delivery_id: '',
      last_connected_at: 'T',
      last_stream_status: 'disconnected',
      completed_wake_keys: [],
    });
  });

  test('drafts that were left are removed once they are old, and are no files of it', () => {
    for (const name of ['a.json', '.b.json', 'c.txt', '.old.tmp', '.young.tmp', 'd.tmp'])
      writeFileSync(inHome(name), '');
    for (const name of ['.old.tmp', 'd.tmp', 'a.json']) utimesSync(inHome(name), new Date(0), new Date(0));
    utimesSync(inHome('.young.tmp'), new Date(40_000), new Date(40_000));
    expect(jsonFilesIn(home)).toEqual(['a.json']);
    removeStrays(home, 100_000);
    expect(readdirSync(home).toSorted()).toEqual(['.b.json', '.young.tmp', 'a.json', 'c.txt', 'd.tmp']);
    mkdirSync(inHome('folder'));
    expect([
      jsonFilesIn(inHome('none')),
      jsonFilesIn(inHome('c.txt')),
      jsonFilesIn(inHome('folder')),
    ]).toEqual([[], [], []]);
  });
});
