import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemRandom } from '../ids.ts';
import { loadMasterKey, parseMasterKey } from './master-key.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-key-'));
  file = join(folder, 'secret.key');
});

afterEach(() => rm(folder, { recursive: true }));

const load = (configured?: string, storeExists = false) =>
  loadMasterKey({ configured, file, storeExists, random: systemRandom });

describe('master key', () => {
  test('is made on first use, for its owner only, and is the same ever after', async () => {
    const first = await load();
    expect(first).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await load()).toEqual(first);
    expect(await readdir(folder)).toEqual(['secret.key']);
  });

  test('is one and the same for all that start at once', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => load()));
    const written = parseMasterKey(await readFile(file, 'utf8'));
    for (const key of keys) expect(key).toEqual(written);
    expect(await readdir(folder)).toEqual(['secret.key']);
  });

  test('is refused when other users may read the file', async () => {
    await load();
    for (const mode of [0o640, 0o604, 0o620]) {
      await chmod(file, mode);
      await expect(load()).rejects.toMatchObject({ code: 'unsafe_key_file' });
    }
    await chmod(file, 0o600);
    await expect(load()).resolves.toHaveLength(32);
  });

  test('is refused with what to do when something else has its name', async () => {
    await mkdir(file);
    const told = expect.stringMatching(/cannot be read \(EISDIR\): .*PARLEY_SECRET_KEY/);
    await expect(load()).rejects.toMatchObject({ code: 'unsafe_key_file', message: told });
  });

  test('is refused, and the file kept, when the file holds no key', async () => {
    await writeFile(file, 'not a key\n', { mode: 0o600 });
    await expect(load()).rejects.toMatchObject({ code: 'bad_key', message: expect.stringContaining(file) });
    expect(await readFile(file, 'utf8')).toBe('not a key\n');
  });

  test('is not made anew when it is missing beside a store', async () => {
    await expect(load(undefined, true)).rejects.toMatchObject({ code: 'missing_key_file' });
    expect(await readdir(folder)).toEqual([]);
    const key = await load();
    expect(await load(undefined, true)).toEqual(key);
  });

  test('comes from the setting, as hex or base64url, and then no file is made', async () => {
    const key = Buffer.from(systemRandom.bytes(32));
    expect(await load(key.toString('hex').toUpperCase())).toEqual(key);
    expect(await load(` ${key.toString('base64url')}\n`)).toEqual(key);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each(['short', 'g'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), '*'.repeat(43)])(
    'cannot be %j',
    (text) => {
      expect(() => parseMasterKey(text)).toThrow('32 bytes');
    },
  );
});
