import { damageStore } from '@parley/server/platform/storage/testing/damage-store';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer } from '@parley/server/testing/start-server';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('parley backup and restore', () => {
  let terminal: Terminal;
  let parent: string;
  let dataDir: string;
  let file: string;
  let stop: () => Promise<void>;

  beforeEach(() => {
    terminal = new Terminal({});
    parent = mkdtempSync(join(tmpdir(), 'parley-backup-'));
    dataDir = join(parent, 'data');
    file = join(parent, 'copy.db');
    stop = async () => {};
  });
  afterEach(async () => {
    await stop();
    terminal.remove();
    rmSync(parent, { recursive: true, force: true });
  });

  const start = async (folder = dataDir): Promise<RoomClient> => {
    const server = await startServer({ dataDir: folder, rateLimits: false });
    stop = async () => {
      stop = async () => {};
      await server.close();
    };
    return new RoomClient(server);
  };
  const backup = (...more: string[]) => terminal.run(['backup', file, '--data-dir', dataDir, ...more]);
  const restore = (folder: string, ...more: string[]) =>
    terminal.run(['restore', file, '--data-dir', folder, ...more]);

  test('bring back on another machine all that was acknowledged, though the server went on writing', async () => {
    const client = await start();
    const keys: string[] = [];
    for (let count = 0; count < 5; count++) keys.push((await client.people.agent()).key);
    const room = await client.openRoom({ topic: 'Tides of the harbour' });
    const state = { ended: false };
    const running = backup('--with-key').finally(() => void (state.ended = true));
    let during = 0;
    for (; !state.ended; during++) await client.people.agent();
    const made = await running;
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toContain(`is copied to ${file}`);
    expect(during).toBeGreaterThan(0);
    expect([modeOf(file), modeOf(`${file}.key`)]).toEqual([0o600, 0o600]);
    expect(readdirSync(parent).toSorted()).toEqual(['copy.db', 'copy.db.key', 'data']);
    await stop();

    const other = join(parent, 'other');
    const restored = await restore(other, '--with-key');
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    expect([modeOf(other), modeOf(join(other, 'parley.db')), modeOf(join(other, 'parley.key'))]).toEqual([
      0o700, 0o600, 0o600,
    ]);
    const again = await start(other);
    for (const key of keys) await again.people.login(key);
    expect(await again.transcript(room.id, room.code)).toMatchObject({ status: 200 });
  });

  test('go back to the time of the backup, and keep what a killed server wrote since', async () => {
    const serving = terminal.start(['serve', '--port', '0', '--data-dir', dataDir]);
    await serving.printed('"listening"');
    const client = new RoomClient({ url: /"url":"([^"]+)"/.exec(serving.soFar())?.[1] ?? '' });
    const { key: before } = await client.people.agent();
    expect((await backup()).stdout).toContain(`keep a copy of ${join(dataDir, 'parley.key')}`);
    const { key: since } = await client.people.agent();
    serving.signal('SIGKILL');
    await serving.finished;
    const log = readFileSync(join(dataDir, 'parley.db-wal'));
    expect(log.length).toBeGreaterThan(0);

    const { stdout } = await restore(dataDir, '--json');
    const { kept } = JSON.parse(stdout) as { kept: string };
    expect(kept).toMatch(/parley\.db\.before-restore-\d{8}T\d{9}Z$/);
    expect(readFileSync(`${kept}-wal`).equals(log)).toBe(true);
    const back = await start();
    await back.people.login(before);
    await expect(back.people.login(since)).rejects.toThrow();
    await stop();
    file = kept;
    expect(await restore(dataDir)).toMatchObject({ code: 0 });
    await (await start()).people.login(since);
  });

  test('a backup replaces no file unasked, and nothing in the data folder at all', async () => {
    await start();
    writeFileSync(file, 'mine');
    const refused = await backup();
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `parley: ${file} exists already\nparley: --force replaces it\n`,
    ]);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await backup('--force')).toMatchObject({ code: 0 });
    expect(statSync(file).size).toBeGreaterThan(4096);
    const store = join(dataDir, 'parley.db');
    const over = await terminal.run(['backup', store, '--force', '--data-dir', dataDir]);
    expect(over.code).toBe(1);
    expect(over.stderr).toContain('name a file in another folder');
    file = join(parent, 'missing', 'copy.db');
    expect((await backup()).stderr).toContain(`parley: there is no folder ${join(parent, 'missing')}\n`);
  });

  test('a backup of a damaged store, or of none, leaves no file', async () => {
    const none = await backup();
    expect([none.code, none.stderr]).toEqual([
      1,
      `parley: there is no store in ${dataDir}\nparley: name its folder with --data-dir\n`,
    ]);
    await start();
    await stop();
    damageStore(join(dataDir, 'parley.db'));
    const damaged = await backup();
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toContain(`${join(dataDir, 'parley.db')} is damaged`);
    expect(readdirSync(parent)).toEqual(['data']);
  });

  test('a restore is refused while a server has the folder', async () => {
    const client = await start();
    const { key } = await client.people.agent();
    await backup();
    const refused = await restore(dataDir);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is in use by another server');
    expect(refused.stderr).toContain('stop the server first');
    expect(readdirSync(dataDir).filter((name) => /restore|unfinished/.test(name))).toEqual([]);
    await client.people.login(key);
  });

  test('a restore refuses what is missing, damaged or no store of Parley, and changes nothing', async () => {
    const folder = join(parent, 'fresh');
    const refusal = async () => {
      const { code, stderr } = await restore(folder);
      expect([code, existsSync(folder)]).toEqual([1, false]);
      return stderr;
    };
    expect(await refusal()).toContain(`parley: there is no file ${file}\n`);
    for (const content of ['', 'a letter to the harbour master\n'.repeat(200)]) {
      writeFileSync(file, content);
      expect(await refusal()).toContain(`parley: ${file} is no store of Parley\n`);
    }
    await start();
    await backup('--force');
    damageStore(file);
    expect(await refusal()).toMatch(/^parley: \S+copy\.db is damaged: .+\n/);
    await backup('--force');
    writeFileSync(file, readFileSync(file).subarray(0, 40_000));
    expect(await refusal()).toMatch(/^parley: \S+copy\.db is damaged: .+\n/);
  });
});
