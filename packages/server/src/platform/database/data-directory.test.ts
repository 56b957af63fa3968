import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startChild } from '../../testing/child-program.ts';
import { LOCK_FILE, openDataDirectory } from './data-directory.ts';
import { DataDirectoryLockedError } from './errors.ts';

function holderIn(folder: string): { pid: number; started: string; nonce: string } {
  return JSON.parse(readFileSync(join(folder, LOCK_FILE), 'utf8')) as ReturnType<typeof holderIn>;
}

/** As a container has it: processes of its own, files of everybody. */
const NAMESPACE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
const [program = '', ...options] = NAMESPACE;
const canUnshare = spawnSync(program, [...options, 'true']).status === 0;

function takes(path: string): boolean {
  try {
    openDataDirectory(path).release();
    return true;
  } catch {
    return false;
  }
}

describe('data directory', () => {
  let parent: string;
  let path: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'parley-test-'));
    path = join(parent, 'deep', 'data');
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  test('is made for its owner only, and holds our pid while in use', () => {
    const directory = openDataDirectory(path);
    expect(directory.path).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(holderIn(path).pid).toBe(process.pid);
    directory.release();
    expect(readdirSync(path)).toEqual(['parley.lock-held']);
  });

  test('a second server is refused with the pid and the folder', async () => {
    const child = await startChild('hold-directory', [path]);
    await child.until((line) => line === 'held');
    let refusal: unknown;
    try {
      openDataDirectory(path);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(DataDirectoryLockedError);
    expect(String(refusal)).toContain(path);
    expect(String(refusal)).toContain(`pid ${child.process.pid}`);

    const second = await startChild('hold-directory', [path]);
    await expect(second.finished()).rejects.toThrow(`pid ${child.process.pid}`);

    await child.kill();
    const directory = openDataDirectory(path);
    expect(holderIn(path).pid).toBe(process.pid);
    directory.release();
  });

  test('a server in another container is seen, although its pid is nobody here', async () => {
    const child = await startChild('hold-directory', [path]);
    await child.until((line) => line === 'held');
    const foreign = { ...holderIn(path), pid: 2 ** 22 + 1, started: 'another-boot/1' };
    writeFileSync(join(path, LOCK_FILE), JSON.stringify(foreign));
    expect(() => openDataDirectory(path)).toThrow(DataDirectoryLockedError);
    rmSync(join(path, LOCK_FILE));
    expect(() => openDataDirectory(path)).toThrow(/in use by another server$/);
    await child.kill();
    openDataDirectory(path).release();
  });

  test.skipIf(!canUnshare)(
    `two servers in different pid namespaces do not share a folder${canUnshare ? '' : ' (skipped: unshare is not allowed)'}`,
    async () => {
      const child = await startChild('hold-directory', [path], NAMESPACE);
      await child.until((line) => line === 'held');
      expect(holderIn(path).pid).toBe(1);
      expect(() => openDataDirectory(path)).toThrow(/pid 1,/);
      const second = await startChild('hold-directory', [path], NAMESPACE);
      await expect(second.finished()).rejects.toThrow('pid 1,');
      await child.kill();
      await expect.poll(() => takes(path)).toBe(true);
    },
  );

  test('is free at once after kill -9, and tells who left it open', async () => {
    const child = await startChild('hold-directory', [path]);
    await child.until((line) => line === 'held');
    const { nonce } = holderIn(path);
    await child.kill();
    const directory = openDataDirectory(path);
    expect(directory.nodeBefore).toBe(nonce.replaceAll('-', '').slice(-16));
    expect(directory.node).toMatch(/^[0-9a-f]{16}$/);
    expect(directory.node).not.toBe(directory.nodeBefore);
    directory.release();
    const next = openDataDirectory(path);
    expect(next.nodeBefore).toBeUndefined();
    next.release();
  });

  test.each(['', 'not json', '{"pid":"x"}', '{"pid":1,"nonce":"../../escape"}'])(
    'a lock file that says nothing (%j) does not block',
    (text) => {
      openDataDirectory(path).release();
      writeFileSync(join(path, LOCK_FILE), text);
      const directory = openDataDirectory(path);
      expect(holderIn(path).pid).toBe(process.pid);
      directory.release();
    },
  );

  test('of several starters that find a stale lock, one wins', async () => {
    openDataDirectory(path).release();
    for (let round = 0; round < 3; round++) {
      const dead = { pid: 2 ** 22 + 1, started: null, nonce: '00000000-0000-4000-8000-00000000000a' };
      writeFileSync(join(path, LOCK_FILE), JSON.stringify(dead));
      const starters = await Promise.all(
        Array.from({ length: 5 }, () => startChild('hold-directory', [path])),
      );
      const results = await Promise.allSettled(
        starters.map((child) => child.until((line) => line === 'held')),
      );
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      await Promise.all(starters.map((child) => child.kill()));
    }
  });
});
