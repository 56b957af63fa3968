import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startChild } from '../../testing/child-program.ts';
import { LOCK_FILE, openDataDirectory } from './data-directory.ts';
import { DataDirectoryLockedError } from './errors.ts';

function holderIn(folder: string): { pid: number; started: string; nonce: string } {
  return JSON.parse(readFileSync(join(folder, LOCK_FILE), 'utf8')) as ReturnType<typeof holderIn>;
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
    expect(readdirSync(path)).toEqual([]);
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

  test('a lock whose pid now belongs to another program is taken over', () => {
    openDataDirectory(path);
    const stale = { ...holderIn(path), started: 'another-boot/1' };
    writeFileSync(join(path, LOCK_FILE), JSON.stringify(stale));
    const directory = openDataDirectory(path);
    expect(holderIn(path).nonce).not.toBe(stale.nonce);
    directory.release();
    expect(readdirSync(path)).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'a lock of a killed server whose parent has not collected it is taken over',
    async () => {
      openDataDirectory(path).release();
      // The child ends after its parent has become `sleep`, which collects nobody.
      const careless = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      try {
        const [line] = (await once(careless.stdout, 'data')) as [Buffer];
        const pid = Number(line);
        while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) await setImmediate();
        const zombie = { pid, started: null, nonce: '00000000-0000-4000-8000-00000000000b' };
        writeFileSync(join(path, LOCK_FILE), JSON.stringify(zombie));
        const directory = openDataDirectory(path);
        expect(holderIn(path).pid).toBe(process.pid);
        directory.release();
      } finally {
        careless.kill();
      }
    },
  );

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
