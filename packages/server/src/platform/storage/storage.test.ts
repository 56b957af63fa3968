import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LOCK_FILE } from '../database/data-directory.ts';
import { RoomClient } from '../../rooms/testing/room-client.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer, type TestOptions, type TestServer } from '../../testing/start-server.ts';
import { checkStore } from './check-store.ts';
import { draftOf } from './copy-store.ts';
import { damageStore } from './testing/damage-store.ts';

const ready = (client: RoomClient) =>
  client.call<{ ready: boolean; services: Record<string, string> }>('GET', '/ready');

describe('the store', () => {
  let dataDir: string;
  let server: TestServer | undefined;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
  });
  afterEach(async () => {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async (options: TestOptions = {}): Promise<RoomClient> => {
    server = await startServer({ dataDir, rateLimits: false, ...options });
    return new RoomClient(server);
  };
  const stop = async (): Promise<void> => {
    await server?.close();
    server = undefined;
  };
  const store = () => join(dataDir, 'parley.db');

  test('is not ready while writes fail, although it reads', async () => {
    const clock = new FakeClock();
    const client = await start({ clock });
    expect((await ready(client)).body).toMatchObject({ ready: true, services: { database: 'ok' } });
    const { database } = server?.context ?? {};
    if (!database) throw new Error('no server');
    const write = database.write.bind(database);
    database.write = () => Promise.reject(new Error('database or disk is full'));
    // What was seen a moment ago is believed.
    expect((await ready(client)).status).toBe(200);
    await clock.advance(3000);
    expect(await ready(client)).toMatchObject({ status: 503, body: { services: { database: 'failing' } } });
    database.write = write;
    await clock.advance(3000);
    expect((await ready(client)).status).toBe(200);
  });

  test('tells a low disk early: nothing new is stored, reading and acknowledging go on', async () => {
    const clock = new FakeClock();
    let free = 1024 ** 3;
    const client = await start({ clock, freeBytes: async () => free });
    const agent = await client.agent();
    const made = await agent.list({ topic: 'tides' });
    const message = { to: 'self', body: 'x' };
    free = 10 * 1024 ** 2;
    await clock.advance(10_000);
    await expect.poll(async () => (await ready(client)).body.services.disk).toBe('failing');
    const refusals = await Promise.all([
      agent.tryList({ topic: 'more' }),
      agent.call('POST', '/v1/messages', { body: message }),
      agent.call('POST', '/v1/continuity/upsert', { body: {} }),
    ]);
    for (const refused of refusals) {
      expect(refused.status).toBe(507);
      expect(refused.text).toContain('PARLEY_MIN_FREE_DISK_MB');
    }
    expect((await agent.tryState(made.room_id)).status).toBe(200);
    expect((await agent.close(made.room_id)).status).toBe(200);
    expect(await client.metric('parley_disk_free_bytes')).toBe(free);
    expect(server?.logs.filter(({ event }) => event === 'disk_low')).toHaveLength(1);
    free = 1024 ** 3;
    await clock.advance(10_000);
    await expect.poll(async () => (await ready(client)).status).toBe(200);
    expect((await agent.tryList({ topic: 'more' })).status).toBe(201);
  });

  test.each(['missing', 'empty'] as const)('that is %s beside its key is no fresh start', async (how) => {
    await start();
    await stop();
    if (how === 'missing') rmSync(store());
    else truncateSync(store());
    await expect(start()).rejects.toThrow(new RegExp(`parley.db is ${how}.*move the key file away`));
    rmSync(join(dataDir, 'parley.key'));
    if (how === 'empty') rmSync(store());
    await start();
  });

  test('is copied to a draft, which takes its name when it is whole and else leaves nothing', async () => {
    const to = join(dataDir, 'copy');
    const failing = draftOf(to, async (path) => {
      writeFileSync(`${path}-journal`, 'half');
      throw new Error('the disk is full');
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(readdirSync(dataDir)).toEqual([]);
    writeFileSync(to, 'before');
    const draft = await draftOf(to, async (path) => writeFileSync(path, 'whole'));
    expect([draft.bytes, readFileSync(to, 'utf8')]).toEqual([5, 'before']);
    draft.place();
    draft.discard();
    expect(readdirSync(dataDir)).toEqual(['copy']);
    expect([readFileSync(to, 'utf8'), statSync(to).mode & 0o777]).toEqual(['whole', 0o600]);
    (await draftOf(to, async (path) => writeFileSync(path, 'another'))).discard();
    expect([readdirSync(dataDir), readFileSync(to, 'utf8')]).toEqual([['copy'], 'whole']);
  });

  test('is checked after an unclean stop, and damage is told', async () => {
    await (await start()).agent();
    await stop();
    expect(await checkStore(store(), 'full')).toEqual([]);
    // As a server that was killed leaves it.
    writeFileSync(join(dataDir, LOCK_FILE), '{}');
    await start();
    await expect.poll(() => server?.logs.some(({ event }) => event === 'store_checked')).toBe(true);
    await stop();

    damageStore(store());
    expect((await checkStore(store(), 'full')).length).toBeGreaterThan(0);
    writeFileSync(join(dataDir, LOCK_FILE), '{}');
    const client = await start();
    await expect.poll(() => server?.logs.some(({ event }) => event === 'store_damaged')).toBe(true);
    expect(await ready(client)).toMatchObject({ status: 503, body: { services: { store: 'failing' } } });
  });
});
