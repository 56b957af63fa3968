import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { describeWithGit, GitFolders } from '../../testing/git.ts';
import { T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, NOW, startMemory } from '../testing/memory.ts';
import { exportMemory } from './export.ts';
import { GitProgram } from './git-program.ts';
import { plantDocument } from '../testing/plant-document.ts';

const DAY_MS = 86_400_000;
const refused = (): Promise<void> => Promise.reject(new Error('another writes here'));
const at = (name: string) => `memory/continuity/${name}`;

describeWithGit('continuity › history as git', () => {
  describeEachServer('continuity › history as git', (start) => {
    const folders = new GitFolders();
    let home: MemoryServer;
    beforeAll(async () => {
      home = await startMemory(start);
    });

    const exportTo = (
      memory: Memory,
      directory: string,
      checkpointEvery = 5_000,
      stillMine?: () => Promise<void>,
    ) =>
      exportMemory({
        database: home.server.context.database,
        git: new GitProgram({ program: 'git', clock: systemClock }),
        owner: { id: memory.ownerId, slug: 'max' },
        directory,
        checkpointEvery,
        ...(stillMine && { stillMine }),
      });
    const stored = (memory: Memory, path: string) => {
      const { database } = home.server.context;
      return database.read.get<{ document: string }>(sql`
        SELECT document FROM continuity_revisions WHERE owner_id = ${memory.ownerId} AND path = ${path}
          AND document IS NOT NULL ORDER BY id DESC LIMIT 1`);
    };
    const whole = (directory: string) => folders.git(directory, 'fsck', '--strict', '--no-dangling');

    test('one commit for each revision, with its author, time and message', async () => {
      const memory = await home.owner();
      await memory.store('user', 'a', {}, T(1), { commit_message: 'the first' });
      await home.clock.advance(1_500);
      await memory.store('user', 'a', { continuity: { open_loops: ['more'] } }, T(2), {
        commit_message: 'the second\n\ndata 5\nfrom refs/heads/main\n',
      });
      const directory = folders.folder();
      const { commits, workTree } = await exportTo(memory, directory);
      expect([commits, workTree.state]).toEqual([2, 'updated']);
      expect(folders.log(directory, '%an|%ae|%at|%ct|%B')).toEqual([
        `self|self@parley.invalid|${NOW / 1000}|${NOW / 1000}|the first\n`,
        `self|self@parley.invalid|${NOW / 1000 + 1}|${NOW / 1000 + 1}|the second\n\ndata 5\nfrom refs/heads/main\n`,
      ]);
      const path = 'memory/continuity/user-a.json';
      expect(folders.files(directory)).toEqual([path]);
      const document = (await stored(memory, path))?.document;
      expect(folders.git(directory, 'show', `main:${path}`)).toBe(document);
      expect(readFileSync(join(directory, path), 'utf8')).toBe(document);
      expect(folders.git(directory, 'status', '--porcelain')).toBe('');
      expect(whole(directory)).toBe('');
    });

    test('goes on after the last exported revision, and does nothing when nothing is new', async () => {
      const memory = await home.owner();
      const directory = folders.folder();
      expect(await exportTo(memory, directory)).toMatchObject({ commits: 0, tip: undefined });
      await memory.store('user', 'a');
      expect((await exportTo(memory, directory)).commits).toBe(1);
      const { tip } = await exportTo(memory, directory);
      const noArchives = {
        subject_kind: 'user',
        subject_id: 'a',
        delete_archive: true,
        reason: 'none there',
      };
      expect((await memory.call('delete', noArchives)).body.deleted_paths).toEqual([]);
      expect((await exportTo(memory, directory)).tip).toBe(tip);
      await memory.store('user', 'b');
      await memory.store('user', 'a', {}, T(2));
      expect((await exportTo(memory, directory)).commits).toBe(2);
      expect(folders.log(directory, '%P')).toEqual([
        '',
        tip,
        folders.git(directory, 'rev-parse', 'main~1').trim(),
      ]);
      expect(folders.files(directory)).toHaveLength(2);
      expect(folders.git(directory, 'status', '--porcelain')).toBe('');
    });

    test('archives, cold copies, snapshots that stand alone, plans: as files, where they are and as they are', async () => {
      const memory = await home.owner();
      await memory.store('thread', 'x');
      await memory.call('archive', { subject_kind: 'thread', subject_id: 'x', reason: 'is over' });
      await home.clock.leap(400 * DAY_MS);
      const plan = await memory.call<{ candidates: { source_archive_path: string }[] }>('retention/plan', {});
      const archive = plan.body.candidates[0]?.source_archive_path ?? '';
      await memory.ops('continuity_cold_store', { source_archive_path: archive });
      await memory.ops('continuity_cold_rehydrate', { source_archive_path: archive });
      await memory.call('refresh/plan', {});
      await memory.store('user', 'gone');
      await memory.call('delete', {
        subject_kind: 'user',
        subject_id: 'gone',
        delete_active: true,
        reason: 'out',
      });
      await memory.store('thread', 'x', {}, T(3));
      const directory = folders.folder();
      await exportTo(memory, directory);

      const name = archive.slice(archive.lastIndexOf('/') + 1, -'.json'.length);
      const files = folders
        .log(directory, '%s')
        .map((_, index, all) =>
          folders.files(directory, `main~${all.length - 1 - index}`).map((path) => path.slice(at('').length)),
        );
      const [cold, stub] = [`cold/${name}.json.gz`, `cold/index/${name}.md`];
      const archived = `archive/${name}.json`;
      const snapshot = 'fallback/thread-x.json';
      const plans = ['refresh_state.json', 'retention_state.json'];
      expect(files).toEqual([
        ['thread-x.json'],
        [archived, snapshot],
        [archived, snapshot, plans[1]],
        [stub, cold, snapshot, plans[1]],
        [archived, snapshot, plans[1]],
        [archived, snapshot, ...plans],
        [archived, snapshot, ...plans, 'user-gone.json'],
        [archived, 'fallback/thread-x.json', 'fallback/user-gone.json', ...plans],
        [archived, 'fallback/user-gone.json', ...plans, 'thread-x.json'],
      ]);
      const packed = folders.bytes(directory, 'show', `main~5:${at(cold)}`);
      expect(gunzipSync(packed).toString()).toBe((await stored(memory, archive))?.document);
      expect(folders.git(directory, 'show', `main~5:${at(stub)}`)).toContain(
        `source_archive_path: ${archive}\n`,
      );
      expect(
        JSON.parse(folders.git(directory, 'show', `main:${at('fallback/user-gone.json')}`)),
      ).toMatchObject({
        schema_type: 'continuity_fallback_snapshot',
        source_path: at('user-gone.json'),
        capsule: { subject_id: 'gone' },
      });
    });

    test('a cold copy as it lies in the store, byte for byte', async () => {
      const memory = await home.owner();
      await memory.store('user', 'c');
      await memory.call('archive', { subject_kind: 'user', subject_id: 'c', reason: 'is over' });
      await home.clock.leap(400 * DAY_MS);
      const plan = await memory.call<{ candidates: { source_archive_path: string }[] }>('retention/plan', {});
      const archive = plan.body.candidates[0]?.source_archive_path ?? '';
      await memory.ops('continuity_cold_store', { source_archive_path: archive });
      const directory = folders.folder();
      await exportTo(memory, directory);
      const row = await home.server.context.database.read.get<{ raw: Uint8Array; stub: string }>(
        sql`SELECT raw, stub FROM continuity_artifacts WHERE owner_id = ${memory.ownerId} AND state = 3`,
      );
      const [stub, payload] = folders.files(directory);
      expect(folders.bytes(directory, 'show', `main:${payload}`)).toEqual(Buffer.from(row?.raw ?? []));
      expect(folders.git(directory, 'show', `main:${stub}`)).toBe(row?.stub);
    });

    test('names, messages and documents that are none of the usual', async () => {
      const memory = await home.owner();
      const { continuity, database } = home.server.context;
      const bytes = Buffer.from([0xff, 0x00, 0x0a, ...Buffer.from('data 3\nxyz\ndone\n')]);
      await plantDocument(
        continuity.service,
        memory.ownerId,
        'memory/continuity/user-a.json',
        bytes,
        'evil <x@y>\nauthor z\u0001',
      );
      await plantDocument(
        continuity.service,
        memory.ownerId,
        'memory/continuity/user-b.json',
        Buffer.from(''),
        '<>',
      );
      await database.write((tx) =>
        tx.run(sql`UPDATE continuity_revisions SET commit_message = '' WHERE owner_id = ${memory.ownerId}
          AND slug = 'b'`),
      );
      const directory = folders.folder();
      await exportTo(memory, directory);
      expect(folders.bytes(directory, 'show', 'main~1:memory/continuity/user-a.json')).toEqual(bytes);
      expect(folders.git(directory, 'show', 'main:memory/continuity/user-b.json')).toBe('');
      expect(folders.log(directory, '%an|%ae')).toEqual([
        'evil  x@y author z|evil-x@y-author-z-@parley.invalid',
        'unknown|-@parley.invalid',
      ]);
      expect(whole(directory)).toBe('');
    });

    test('revisions that are no longer kept: the history begins with what is there', async () => {
      const memory = await home.owner();
      const { database } = home.server.context;
      await memory.store('user', 'a');
      await memory.call('archive', { subject_kind: 'user', subject_id: 'a', reason: 'is over' });
      await memory.store('user', 'a', {}, T(2));
      const forget = (number: number) =>
        database.write((tx) =>
          tx.run(
            sql`DELETE FROM continuity_revisions WHERE owner_id = ${memory.ownerId} AND number <= ${number}`,
          ),
        );
      await forget(2);
      const directory = folders.folder();
      await exportTo(memory, directory);
      expect(folders.log(directory, '%an|%s')).toEqual([
        'Parley|continuity: files no revision tells of',
        'self|continuity: upsert user a',
      ]);
      const archived = folders.files(directory, 'main~1')[0] ?? '';
      expect(archived).toMatch(/^memory\/continuity\/archive\/user-a-/);
      expect(folders.files(directory)).toEqual([archived, 'memory/continuity/user-a.json']);

      await memory.call('archive', { subject_kind: 'user', subject_id: 'a', reason: 'is over' });
      await memory.store('user', 'a', {}, T(3));
      await forget(4);
      await exportTo(memory, directory);
      expect(folders.files(directory)).toHaveLength(3);
      expect((await exportTo(memory, directory)).commits).toBe(0);
    });

    test('refuses folders and repositories that are something else', async () => {
      const [memory, other] = [await home.owner(), await home.owner()];
      await memory.store('user', 'a');
      await other.store('user', 'a');
      const full = folders.folder();
      mkdirSync(full);
      writeFileSync(join(full, 'letter.txt'), 'mine');
      await expect(exportTo(memory, full)).rejects.toThrow(/neither empty nor a git repository/);

      const foreign = folders.folder();
      mkdirSync(foreign);
      folders.git(foreign, 'init', '--quiet');
      writeFileSync(join(foreign, 'letter.txt'), 'mine');
      await expect(exportTo(memory, foreign)).rejects.toThrow(/files that are in no commit/);
      const commit = ['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--quiet', '-m', 'theirs'];
      folders.git(foreign, 'add', '.');
      folders.git(foreign, ...commit);
      await expect(exportTo(memory, foreign)).rejects.toThrow(/history of its own/);
      folders.git(foreign, 'branch', '-M', 'main');
      await expect(exportTo(memory, foreign)).rejects.toThrow(/history of its own/);
      expect(folders.log(foreign, '%s')).toEqual(['theirs']);

      const directory = folders.folder();
      await exportTo(memory, directory);
      await expect(exportTo(other, directory)).rejects.toThrow(/memory of another owner/);
      const clone = folders.folder();
      folders.git(folders.root, 'clone', '--quiet', directory, clone);
      await expect(exportTo(other, clone)).rejects.toThrow(/memory of another owner/);

      const inside = join(foreign, 'sub', 'export');
      await exportTo(memory, inside);
      expect(folders.log(inside, '%s')).toEqual(['continuity: upsert user a']);
    });

    test('a store that was put back from a backup does not go on in the old repository', async () => {
      const memory = await home.owner();
      const { database } = home.server.context;
      await memory.store('user', 'a');
      const directory = folders.folder();
      await exportTo(memory, directory);
      await database.write((tx) =>
        tx.run(sql`UPDATE continuity_revisions SET recorded_at = recorded_at + 5000
          WHERE owner_id = ${memory.ownerId}`),
      );
      await expect(exportTo(memory, directory)).rejects.toThrow(/a backup was put back/);
    });

    test('a bare repository, and commits of others on top', async () => {
      const memory = await home.owner();
      await memory.store('user', 'a');
      const bare = folders.folder();
      folders.git(folders.root, 'init', '--quiet', '--bare', bare);
      expect((await exportTo(memory, bare)).workTree.state).toBe('bare');

      const clone = folders.folder();
      folders.git(folders.root, 'clone', '--quiet', '--branch', 'main', bare, clone);
      writeFileSync(join(clone, 'README'), 'whose memory this is\n');
      folders.git(clone, 'add', 'README');
      folders.git(clone, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--quiet', '-m', 'a word');
      folders.git(clone, 'push', '--quiet', 'origin', 'main');
      await memory.store('user', 'b');
      expect((await exportTo(memory, bare)).commits).toBe(1);
      expect(folders.log(bare, '%an')).toEqual(['self', 'x', 'self']);
      expect(folders.files(bare)).toHaveLength(3);
    });

    test('changes made in the folder stay, and the history goes on all the same', async () => {
      const memory = await home.owner();
      await memory.store('user', 'a');
      await memory.store('user', 'b');
      const directory = folders.folder();
      await exportTo(memory, directory);
      const file = join(directory, 'memory/continuity/user-a.json');
      const mine = join(directory, 'notes.txt');
      writeFileSync(mine, 'untracked');
      writeFileSync(file, 'scribbled');
      await memory.store('user', 'b', {}, T(2));
      expect((await exportTo(memory, directory)).workTree.state).toBe('updated');
      await memory.store('user', 'a', {}, T(2));
      expect(await exportTo(memory, directory)).toMatchObject({
        commits: 1,
        workTree: { state: 'left', paths: ['memory/continuity/user-a.json'] },
      });
      expect([readFileSync(file, 'utf8'), readFileSync(mine, 'utf8')]).toEqual(['scribbled', 'untracked']);
      folders.git(directory, 'restore', '.');
      expect((await exportTo(memory, directory)).workTree.state).toBe('updated');
      expect(folders.git(directory, 'status', '--porcelain')).toBe('?? notes.txt\n');
      expect(readFileSync(file, 'utf8')).toBe(
        folders.git(directory, 'show', 'main:memory/continuity/user-a.json'),
      );
    });

    test('a file in the way of a new one stays; one that is the same is taken for it', async () => {
      const memory = await home.owner();
      await memory.store('user', 'a');
      const directory = folders.folder();
      await exportTo(memory, directory);
      const file = join(directory, 'memory/continuity/user-b.json');
      writeFileSync(file, 'in the way');
      await memory.store('user', 'b');
      const left = { state: 'left', paths: ['memory/continuity/user-b.json'] };
      expect((await exportTo(memory, directory)).workTree).toMatchObject(left);
      expect(readFileSync(file, 'utf8')).toBe('in the way');
      // As an update leaves it that was cut short.
      writeFileSync(file, folders.bytes(directory, 'show', 'main:memory/continuity/user-b.json'));
      expect((await exportTo(memory, directory)).workTree.state).toBe('updated');
      expect(folders.git(directory, 'status', '--porcelain')).toBe('');
    });

    test('two exports at once: one writes, the other says who does, and nothing is doubled', async () => {
      const memory = await home.owner();
      for (let day = 1; day <= 9; day++) await memory.store('user', 'a', {}, T(day));
      const directory = folders.folder();
      await exportTo(memory, directory);
      await memory.store('user', 'a', {}, T(10));
      const results = await Promise.allSettled([exportTo(memory, directory), exportTo(memory, directory)]);
      const reasons = results.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
      for (const reason of reasons) expect(reason).toContain(`another export (pid ${process.pid})`);
      expect(folders.log(directory, '%ce')).toHaveLength(10);
      expect(new Set(folders.log(directory, '%ce')).size).toBe(10);
    });

    test('one that learns that another writes here now changes nothing', async () => {
      const memory = await home.owner();
      const directory = folders.folder();
      await memory.store('user', 'a');
      await exportTo(memory, directory);
      const before = folders.git(directory, 'rev-parse', 'main');
      await memory.store('user', 'b');
      await expect(exportTo(memory, directory, 5_000, refused)).rejects.toThrow('another writes here');
      expect(folders.git(directory, 'rev-parse', 'main')).toBe(before);
      expect((await exportTo(memory, directory)).commits).toBe(1);
    });

    test('one that stood still while another machine wrote cannot move the branch back', async () => {
      const memory = await home.owner();
      const directory = folders.folder();
      await memory.store('user', 'a');
      await exportTo(memory, directory);
      await memory.store('user', 'b');
      // Asked once more, and then it stands still: the other's lock is not seen from its machine.
      let stood = false;
      const standStill = async () => {
        if (stood) return;
        stood = true;
        rmSync(join(directory, '.git', 'parley-export.lock'), { force: true });
        await memory.store('user', 'c');
        expect((await exportTo(memory, directory)).commits).toBe(2);
      };
      await expect(exportTo(memory, directory, 5_000, standStill)).rejects.toThrow();
      expect(folders.log(directory, '%s')).toHaveLength(3);
      expect((await exportTo(memory, directory)).commits).toBe(0);
      expect(whole(directory)).toBe('');
    });

    test('more revisions than a page, in order, with moments to go on from', async () => {
      const memory = await home.owner();
      const { database } = home.server.context;
      await memory.store('user', 'a');
      const row = await stored(memory, 'memory/continuity/user-a.json');
      await database.write(async (tx) => {
        for (let number = 2; number <= 250; number++) {
          await tx.run(sql`
            INSERT INTO continuity_revisions (owner_id, kind, slug, number, operation, path, recorded_at, peer_id,
              commit_message, document)
            VALUES (${memory.ownerId}, 'user', 'a', ${number}, 'upsert', 'memory/continuity/user-a.json',
              ${NOW + number * 1000}, 'self', ${`number ${number}`}, ${`${row?.document} ${number}`})`);
        }
      });
      const directory = folders.folder();
      expect((await exportTo(memory, directory, 40)).commits).toBe(250);
      const subjects = folders.log(directory, '%s');
      expect(subjects.slice(1)).toEqual(Array.from({ length: 249 }, (_, index) => `number ${index + 2}`));
    });
  });
});
