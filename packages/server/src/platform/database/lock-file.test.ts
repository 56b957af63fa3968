import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAlive, type LockHolder, noteHolder, readHolder, takeLock } from './lock-file.ts';

const NONCE = '01234567-89ab-cdef-0123-456789abcdef';
const hasProc = existsSync('/proc/self/stat');
const proc = (of: number | undefined, file: string): string => readFileSync(`/proc/${of}/${file}`, 'utf8');

describe('a lock file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-lock-'));
    path = join(folder, 'lock');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const leave = (holder: object): void => writeFileSync(path, JSON.stringify(holder));

  test('is taken once, says by whom, and is free when it is given back', () => {
    const lock = takeLock(path);
    expect([lock.taken, readdirSync(folder), statSync(path).mode & 0o777]).toEqual([true, ['lock'], 0o600]);
    expect(takeLock(path)).toMatchObject({ taken: false, holder: { pid: process.pid } });
    expect(readdirSync(folder)).toEqual(['lock']);
    if (lock.taken) lock.release();
    expect([readdirSync(folder), readHolder(path)]).toEqual([[], undefined]);
    expect(takeLock(path).taken).toBe(true);
  });

  test('that somebody else has taken meanwhile is not given back', () => {
    const lock = takeLock(path);
    leave({ pid: process.pid, started: null, nonce: NONCE });
    if (lock.taken) lock.release();
    expect(readHolder(path)?.nonce).toBe(NONCE);
  });

  test('is noted over what is there, where the folder is held in another way', () => {
    leave({ pid: process.pid, started: null, nonce: NONCE });
    const noted = noteHolder(path);
    expect(readHolder(path)).toMatchObject({ pid: process.pid, nonce: expect.not.stringMatching(NONCE) });
    expect([readdirSync(folder), statSync(path).mode & 0o777]).toEqual([['lock'], 0o600]);
    noted.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  const own = (): LockHolder => {
    takeLock(path);
    const holder = readHolder(path);
    if (!holder) throw new Error('no lock');
    rmSync(path);
    return holder;
  };

  test.each([
    ['nobody who could be asked', () => ({ pid: 0, started: null, nonce: NONCE })],
    ['a process that is gone', () => ({ pid: spawnSync('true').pid, started: null, nonce: NONCE })],
    ['one that had our number before', () => ({ ...own(), started: 'another boot/1', nonce: NONCE })],
    ['who has no number', () => ({ started: null, nonce: NONCE })],
    ['who would be part of a path', () => ({ ...own(), nonce: '../../../../../../../../../../../../x' })],
    ['what is no object', () => []],
  ])('of %s is taken over', (name, holder) => {
    if (name === 'one that had our number before' && !hasProc) return expect(own().started).toBe(null);
    leave(holder());
    expect(takeLock(path).taken).toBe(true);
    expect([readHolder(path)?.pid, readdirSync(folder)]).toEqual([process.pid, ['lock']]);
  });

  test('of ourselves, or of one whose beginning nobody knows, is not', () => {
    for (const holder of [own(), { pid: process.pid, started: null, nonce: NONCE }]) {
      leave(holder);
      expect(takeLock(path)).toEqual({ taken: false, holder });
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(holder);
    }
  });

  test('that cannot be read or made is told of', () => {
    expect(() => readHolder(folder)).toThrow('EISDIR');
    expect(() => takeLock(join(folder, 'missing', 'lock'))).toThrow('ENOENT');
  });

  test.runIf(hasProc)('of a process that was killed and not collected is of nobody', async () => {
    // A program that collects nobody takes the place of the shell, and then its child is killed.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(printed.toString());
      const holder = { pid, started: null, nonce: NONCE };
      await expect.poll(() => proc(parent.pid, 'comm')).toBe('sleep\n');
      expect(isAlive(holder)).toBe(true);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => proc(pid, 'stat')).toMatch(/\) Z /);
      expect(isAlive(holder)).toBe(false);
      expect(isAlive({ ...holder, pid: parent.pid ?? 0 })).toBe(true);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
