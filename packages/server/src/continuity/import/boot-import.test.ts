import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../config/load.ts';
import { insertOwner } from '../../identity/owners/owner-store.ts';
import { People } from '../../identity/testing/people.ts';
import { systemRandom, uuid } from '../../platform/ids.ts';
import { freshLocation } from '../../testing/databases.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { Memory, refusal } from '../testing/memory.ts';
import { rememberImport } from './import-store.ts';

const put = (directory: string, name: string, content: string | Buffer): void => {
  const file = join(directory, 'memory/continuity', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};
const text = (id: string, day = 1) => JSON.stringify(baseCapsule('user', id, T(day)));

/** As the first node tells them: each node looks into the folder. */
const events = (server: TestServer) => {
  const told = server.logs.filter(({ event }) => String(event).startsWith('memory_import'));
  const first = new Map(
    told.toReversed().map((line) => [[line.event, line.owner, line.directory].join(), line]),
  );
  return told.filter((line) => [...first.values()].includes(line));
};
const memoryOf = async (server: TestServer, email: string) => {
  const people = new People(server);
  const owner = await people.owner(email);
  return Object.assign(new Memory(people, owner), { slug: owner.slug });
};

describeEachServer('continuity › import at start', (start, dialect) => {
  const root = mkdtempSync(join(tmpdir(), 'parley-boot-'));
  const cleanups: (() => Promise<void>)[] = [async () => rmSync(root, { recursive: true, force: true })];
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  let folders = 0;
  const folder = (files: Record<string, string | Buffer>, below = ''): string => {
    const directory = join(root, `folder${++folders}`);
    for (const [name, content] of Object.entries(files)) put(join(directory, below), name, content);
    return directory;
  };
  /** A place that outlives its servers. */
  const place = async () => {
    const { at, remove } = await freshLocation(dialect);
    cleanups.push(remove);
    const secretKey = '1'.repeat(64);
    return 'url' in at ? { databaseUrl: at.url, secretKey } : { dataDir: at.dataDir, secretKey };
  };
  test('waits for the owner, and is done before that one is told that it exists', async () => {
    const directory = folder({ 'user-a.json': text('a'), 'user-bad.json': '{nope' });
    const server = await start({ memoryImport: [`max=${directory}`], rateLimits: false });
    expect(events(server)).toMatchObject([{ event: 'memory_import_waiting', owner: 'max', directory }]);
    const ann = await memoryOf(server, 'ann@example.com');
    const max = await memoryOf(server, 'max@example.com');
    expect((await ann.list()).body.count).toBe(0);
    expect((await max.capsule('user', 'a')).updated_at).toBe(T(1));
    expect(refusal(await max.read('user', 'bad'))).toEqual([
      400,
      'Invalid continuity capsule JSON: not JSON',
    ]);
    expect(events(server).at(-1)).toMatchObject({ event: 'memory_imported', owner: 'max', imported: 2 });
  });

  test('a restart does not undo what was written since; what changed in the folder is taken', async () => {
    const directory = folder({ 'user-a.json': text('a'), 'user-b.json': text('b') });
    const options = { ...(await place()), memoryImport: [directory], rateLimits: false };
    const first = await start(options);
    const max = await memoryOf(first, 'max@example.com');
    await max.store('user', 'a', {}, T(5));
    // A second owner: from now on the folder is still that of the first.
    await memoryOf(first, 'eve@example.com');
    await first.close();

    put(directory, 'user-b.json', text('b', 4));
    const second = await start(options);
    const again = new Memory(new People(second), { id: max.ownerId, key: max.key });
    expect((await again.capsule('user', 'a')).updated_at).toBe(T(5));
    expect((await again.capsule('user', 'b')).updated_at).toBe(T(4));
    expect(events(second)).toMatchObject([{ event: 'memory_imported', imported: 1, known: 1 }]);
    await second.close();
  });

  test('an owner who is there already gets it at start', async () => {
    const directory = folder({ 'user-a.json': text('a') });
    const at = { ...(await place()), rateLimits: false };
    const first = await start(at);
    const max = await memoryOf(first, 'max@example.com');
    await first.close();
    const second = await start({ ...at, memoryImport: [directory] });
    const again = new Memory(new People(second), { id: max.ownerId, key: max.key });
    expect((await again.capsule('user', 'a')).updated_at).toBe(T(1));
    await second.close();
  });

  test('a folder with a folder for each owner', async () => {
    const directory = folder({ 'user-a.json': text('a') }, 'max');
    put(join(directory, 'ann'), 'user-b.json', text('b'));
    mkdirSync(join(directory, 'empty'));
    const server = await start({ memoryImport: [directory], rateLimits: false });
    expect(events(server).map(({ owner }) => owner)).toEqual(['ann', 'max']);
    const max = await memoryOf(server, 'max@example.com');
    const ann = await memoryOf(server, 'ann@example.com');
    expect((await max.list()).body.capsules).toMatchObject([{ subject_id: 'a' }]);
    expect((await ann.list()).body.capsules).toMatchObject([{ subject_id: 'b' }]);
  });

  test('a folder for nobody in particular: the first owner, and among several nobody', async () => {
    const directory = folder({ 'user-a.json': text('a') });
    const at = { ...(await place()), rateLimits: false };
    const first = await start(at);
    const people = new People(first);
    const racers = await Promise.all(['x', 'y', 'z'].map((name) => people.owner(`${name}@example.com`)));
    expect(racers).toHaveLength(3);
    await first.close();
    await expect(start({ ...at, memoryImport: [directory] })).rejects.toThrow(ConfigError);
    await expect(start({ ...at, memoryImport: [directory] })).rejects.toThrow(`SLUG=${directory}`);

    const fresh = await start({ memoryImport: [directory], rateLimits: false });
    const owners = await Promise.all(['x', 'y', 'z'].map((name) => memoryOf(fresh, `${name}@example.com`)));
    const counts = await Promise.all(owners.map(async (memory) => (await memory.list()).body.count));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
  });

  test('nobody inherits the memory of one who gave up a name', async () => {
    const directory = folder({ 'user-a.json': text('a') });
    const options = { ...(await place()), memoryImport: [`max=${directory}`], rateLimits: false };
    const first = await start(options);
    const max = await memoryOf(first, 'max@example.com');
    const renamed = await new People(first).call('PATCH', '/v1/auth/me', {
      key: max.key,
      body: { slug: 'mx' },
    });
    expect(renamed.status).toBe(200);
    await first.close();
    const second = await start(options);
    expect(events(second)).toMatchObject([{ event: 'memory_import_owner_gone', owner: 'max' }]);
    const impostor = await memoryOf(second, 'max@example.org');
    expect([impostor.slug, (await impostor.list()).body.count]).toEqual(['max', 0]);
    await second.close();

    const third = await start(options);
    expect(events(third)).toMatchObject([{ event: 'memory_import_owner_gone', owner: 'max' }]);
    const later = new Memory(new People(third), { id: impostor.ownerId, key: impostor.key });
    expect((await later.list()).body.count).toBe(0);
    await third.close();
  });

  test('one folder may be that of several owners who are named', async () => {
    const directory = folder({ 'user-a.json': text('a') });
    const at = { ...(await place()), rateLimits: false };
    const first = await start({ ...at, memoryImport: [`max=${directory}`] });
    const max = await memoryOf(first, 'max@example.com');
    const ann = await memoryOf(first, 'ann@example.com');
    expect([(await max.list()).body.count, (await ann.list()).body.count]).toEqual([1, 0]);
    await first.close();
    const second = await start({ ...at, memoryImport: [`max=${directory}`, `ann=${directory}`] });
    const again = new Memory(new People(second), { id: ann.ownerId, key: ann.key });
    expect((await again.list()).body.count).toBe(1);
    await second.close();
  });

  test('of two servers on one store, the first owner gets it, not the first of each', async () => {
    const directory = folder({ 'user-a.json': text('a') });
    const waiting = await start({ memoryImport: [directory], rateLimits: false });
    const { database } = waiting.context;
    // As another node writes it.
    await database.write((tx) =>
      insertOwner(tx, { id: uuid(systemRandom), slug: 'earlier', email: null, plan: 'self_hosted', now: 0 }),
    );
    const max = await memoryOf(waiting, 'max@example.com');
    expect((await max.list()).body.count).toBe(0);
  });

  test('of two servers on one store, the second gives nobody the memory of one who gave up the name', async () => {
    const directory = folder({ 'user-a.json': text('a') });
    const waiting = await start({ memoryImport: [`max=${directory}`], rateLimits: false });
    const earlier = uuid(systemRandom);
    // As another node writes it: one named max came, got the memory, and is called otherwise by now.
    await waiting.context.database.write(async (tx) => {
      await insertOwner(tx, { id: earlier, slug: 'mx', email: null, plan: 'self_hosted', now: 0 });
      const imported = { path: 'memory/continuity/user-a.json', sha256: '0', source: directory, now: 0 };
      await rememberImport(tx, earlier, imported);
    });
    const impostor = await memoryOf(waiting, 'max@example.com');
    expect([impostor.slug, (await impostor.list()).body.count]).toEqual(['max', 0]);
  });

  test.each([
    ['open', 'warn'],
    ['invite', 'info'],
  ] as const)('with registration %s the wait is a line of level %s', async (registration, level) => {
    const directory = folder({ 'user-a.json': text('a') });
    const server = await start({ registration, memoryImport: [`max=${directory}`] });
    expect(events(server)).toMatchObject([{ event: 'memory_import_waiting', level }]);
  });

  test('a folder that is not there is a wrong configuration', () => {
    const missing = join(root, 'nowhere');
    const load = () => loadConfig({ env: { PARLEY_MEMORY_IMPORT: `max=${missing}` }, cwd: root });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(`memory_import: the folder ${missing} does not exist`);
  });
});
