import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { describeWithGit, GitFolders } from '../../testing/git.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { T } from '../testing/base-capsule.ts';
import { Memory, type MemoryServer, startMemory } from '../testing/memory.ts';
import { plantDocument } from '../testing/plant-document.ts';

/** What a mirror waits before it starts git. */
const GATHERED = 2_000;

const owner = async ({ people }: MemoryServer) => {
  const registered = await people.owner();
  return Object.assign(new Memory(people, registered), { slug: registered.slug });
};
/** Lets the mirror do what is due, and waits for git. */
const mirrored = async ({ clock, server }: MemoryServer, ms = GATHERED) => {
  // What another node wrote is heard of.
  for (const { context } of server.nodes) await context.bus.sent();
  await server.context.bus.caughtUp();
  await clock.advance(ms);
  await server.context.continuity.mirror?.idle();
};

/** As the node that keeps the mirror tells it, which is the one that started first. */
const state = async ({ nodes: [keeper], ...server }: TestServer) => {
  const { url } = keeper ?? server;
  const health = (await (await fetch(`${url}/health`)).json()) as { memory_mirror?: string };
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string) => new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1];
  return [
    health.memory_mirror,
    value('parley_memory_mirror_pending'),
    value('parley_memory_mirror_failing'),
    value('parley_memory_mirror_commits_total'),
  ];
};
const failures = (server: TestServer) =>
  server.logs.filter(({ event }) => event === 'memory_mirror_failed').map(({ fault }) => fault);

describeWithGit('continuity › mirror', () => {
  describeEachServer('continuity › mirror', (start) => {
    const folders = new GitFolders();

    const script = (body: string): string => {
      const program = join(folders.root, `fake-git-${Math.random().toString(36).slice(2)}`);
      writeFileSync(program, `#!/bin/sh\n${body}\n`);
      chmodSync(program, 0o755);
      return program;
    };
    test('keeps a repository for each owner, some time after the write', async () => {
      const directory = folders.folder();
      const home = await startMemory(start, { memoryMirror: directory });
      const [max, ann] = [await owner(home), await owner(home)];
      await max.store('user', 'a');
      await max.store('user', 'a', {}, T(2));
      await ann.store('user', 'b');
      expect(existsSync(directory)).toBe(false);
      await expect.poll(() => state(home.server)).toEqual(['behind', '2', '0', '0']);
      await mirrored(home);
      expect(folders.log(join(directory, max.slug), '%s')).toHaveLength(2);
      expect(folders.files(join(directory, ann.slug))).toEqual(['memory/continuity/user-b.json']);
      expect(readFileSync(join(directory, ann.slug, 'memory/continuity/user-b.json'), 'utf8')).toContain(
        '"b"',
      );
      expect(await state(home.server)).toEqual(['current', '0', '0', '3']);

      await max.call('archive', { subject_kind: 'user', subject_id: 'a', reason: 'is over' });
      await mirrored(home);
      expect(folders.log(join(directory, max.slug), '%s')).toHaveLength(3);
      await plantDocument(
        home.server.context.continuity.service,
        max.ownerId,
        'memory/continuity/user-p.json',
        Buffer.from('{'),
      );
      await mirrored(home);
      expect(folders.log(join(directory, max.slug), '%s')).toHaveLength(4);
    });

    test('a read starts nothing', async () => {
      const home = await startMemory(start, {
        memoryMirror: folders.folder(),
        gitProgram: '/nonexistent/git',
      });
      const max = await owner(home);
      await max.list();
      await mirrored(home);
      expect(await state(home.server)).toEqual(['current', '0', '0', '0']);
    });

    test('a git that hangs delays no write; it is given up, and the mirror catches up', async () => {
      const directory = folders.folder();
      const held = join(folders.root, 'held');
      const [started, gate] = [`${held}-started`, `${held}-gate`];
      for (const file of [started, gate]) rmSync(file, { force: true });
      const gitProgram = script(`[ -e "${gate}" ] && exec git "$@"\n: > "${started}"\nsleep 600`);
      const home = await startMemory(start, { memoryMirror: directory, gitProgram });
      const max = await owner(home);
      await max.store('user', 'a');
      await home.clock.advance(GATHERED);
      await expect.poll(() => existsSync(started)).toBe(true);
      for (let day = 2; day <= 6; day++) await max.store('user', 'a', {}, T(day));
      expect((await max.capsule('user', 'a')).updated_at).toBe(T(6));
      expect((await state(home.server)).slice(0, 2)).toEqual(['behind', '2']);
      await mirrored(home, 120_000);
      expect(failures(home.server)).toEqual(['stalled']);
      expect((await state(home.server))[0]).toBe('failing');
      writeFileSync(gate, '');
      await mirrored(home, 5_000);
      expect(folders.log(join(directory, max.slug), '%s')).toHaveLength(6);
      expect(home.server.logs.at(-1)).toMatchObject({ event: 'memory_mirror_recovered' });
      expect((await state(home.server))[0]).toBe('current');
    });

    test('a git that is missing or fails is told once, tried again ever more rarely, and made up for', async () => {
      const directory = folders.folder();
      const gitProgram = join(folders.root, `later-git-${Math.random().toString(36).slice(2)}`);
      const home = await startMemory(start, { memoryMirror: directory, gitProgram });
      const [max, ann] = [await owner(home), await owner(home)];
      await max.store('user', 'a');
      await ann.store('user', 'a');
      await mirrored(home);
      const failure = home.server.logs.find(({ event }) => event === 'memory_mirror_failed');
      expect(failure).toMatchObject({
        fault: 'missing',
        retry_seconds: 5,
        way_out: expect.stringContaining('git'),
      });
      for (const seconds of [5, 10, 20]) await mirrored(home, seconds * 1_000);
      expect(failures(home.server)).toEqual(['missing']);
      const metrics = await (await fetch(`${home.server.url}/metrics`)).text();
      expect(metrics).toContain('parley_memory_mirror_failures_total{kind="missing"} 8');

      writeFileSync(gitProgram, '#!/bin/sh\necho "no room left" >&2\nexit 128\n');
      chmodSync(gitProgram, 0o755);
      await mirrored(home, 40_000);
      expect(failures(home.server)).toEqual(['missing', 'failed']);
      writeFileSync(gitProgram, '#!/bin/sh\nexec git "$@"\n');
      await mirrored(home, 80_000);
      for (const { slug } of [max, ann]) expect(folders.log(join(directory, slug), '%s')).toHaveLength(1);
      expect((await state(home.server))[0]).toBe('current');
    });

    test('a folder that is something else is left alone, and holds up nobody else', async () => {
      const directory = folders.folder();
      const home = await startMemory(start, { memoryMirror: directory });
      const [max, ann] = [await owner(home), await owner(home)];
      mkdirSync(join(directory, max.slug), { recursive: true });
      writeFileSync(join(directory, max.slug, 'letter.txt'), 'mine');
      await max.store('user', 'a');
      await ann.store('user', 'a');
      await mirrored(home);
      expect(failures(home.server)).toEqual(['refused']);
      expect(readFileSync(join(directory, max.slug, 'letter.txt'), 'utf8')).toBe('mine');
      expect(folders.log(join(directory, ann.slug), '%s')).toHaveLength(1);
    });

    test('a server that stops does not wait for git, and the next one makes up for it', async () => {
      const directory = folders.folder();
      const started = join(folders.root, `stop-${Math.random().toString(36).slice(2)}`);
      const gitProgram = script(`: > "${started}"\ntrap '' TERM\nwhile :; do sleep 600; done`);
      const secretKey = '1'.repeat(64);
      const first = await startMemory(start, { memoryMirror: directory, gitProgram, secretKey });
      const max = await owner(first);
      await max.store('user', 'a');
      await first.clock.advance(GATHERED);
      await expect.poll(() => existsSync(started)).toBe(true);
      const { config } = first.server.context;
      await first.server.context.continuity.mirror?.close();
      expect(failures(first.server)).toEqual([]);

      const at = config.databaseUrl ? { databaseUrl: config.databaseUrl } : { dataDir: config.dataDir };
      await first.server.context.close();
      const second = await startMemory(start, { ...at, memoryMirror: directory, secretKey });
      await mirrored(second);
      expect(folders.log(join(directory, max.slug), '%s')).toHaveLength(1);
    });

    test('writes of another process are found by themselves', async () => {
      const directory = folders.folder();
      const first = await startMemory(start, { memoryMirror: directory });
      const max = await owner(first);
      const { database } = first.server.context;
      const { plant } = await import('../import/plant.ts');
      await database.write((tx) =>
        plant(tx, max.ownerId, 'memory/continuity/user-a.json', Buffer.from('{}'), {
          peerId: 'self',
          now: 0,
        }),
      );
      await mirrored(first, 30_000);
      await mirrored(first);
      expect(folders.log(join(directory, max.slug), '%s')).toHaveLength(1);
    });
  });
});
