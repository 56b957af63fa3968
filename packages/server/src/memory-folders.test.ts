import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportMemory } from './continuity/git/export.ts';
import { GitProgram } from './continuity/git/git-program.ts';
import { importFolder } from './continuity/import/import.ts';
import { coordinationScene, must } from './coordination/testing/coordination-scene.ts';
import { hostFolders } from './memory-folders.ts';
import { systemClock } from './platform/clock.ts';
import { openSqliteHandle } from './platform/database/sqlite/binding.ts';
import { describeEachServer } from './testing/each-server.ts';
import { describeWithGit, GitFolders } from './testing/git.ts';

const read = (folder: string, path: string) =>
  JSON.parse(readFileSync(join(folder, path), 'utf8')) as Record<string, unknown>;

describeWithGit('memory as a folder', () => {
  describeEachServer('memory as a folder', (start) => {
    const folders = new GitFolders();

    /** An owner who has something of everything, and the folder it was exported to. */
    const scene = async () => {
      const home = await coordinationScene(start);
      const { a, b, server, owner } = home;
      const { database, events } = server.context;
      const write = async (path: string, content: string) =>
        must(await a.call('POST', '/write', { path, content }));
      await write('projects/plan.md', '---\nimportance: 0.5\n---\nGrößer 🙂 #plan\r\n');
      await write('journal/day.txt', '');
      await write('memory/core/values.md', 'Be kind.');
      must(await a.call('POST', '/append', { path: 'messages/log.jsonl', record: { z: 1, ä: '\u0000' } }));
      const task = { title: 'T', owner_peer: 'a', metadata: { z: 1, a: [2] }, blocked_by: ['two'] };
      must(await a.call('POST', '/tasks', { ...task, task_id: 'one', thread_id: 'th1' }));
      must(await a.call('POST', '/tasks', { ...task, task_id: 'two' }));
      must(await a.call('PATCH', '/tasks/two', { status: 'done' }));
      const handoff = await a.handed('b', { task_id: 'one' });
      must(await b.consume(handoff.handoff_id, { status: 'accepted_advisory' }));
      await a.shared({ participant_peers: ['b'] });
      const claims = ['a', 'b'].map((peer) => ({
        source_kind: 'handoff',
        source_id: handoff.handoff_id,
        claimant_peer: peer,
        claim_summary: 's',
        epistemic_status: 'frame_present',
      }));
      const record = { title: 't', classification: 'contradictory', trigger: 'handoff_vs_handoff' };
      must(await a.open({ ...record, task_id: 'one', claims }));
      for (const title of ['first', 'zweitens']) {
        const item = { kind: 'reminder', title, due_at: '2030-01-01T00:00:00Z', thread_id: 'th1' };
        const made = await a.call('POST', '/schedule/items', {
          ...item,
          idempotency_key: title,
          metadata: { b: 1.5, a: 'é' },
        });
        expect(made.status).toBe(201);
      }
      const exported = async (ownerId: string) => {
        const directory = folders.folder();
        const git = new GitProgram({ program: 'git', clock: systemClock });
        await exportMemory({ database, git, owner: { id: ownerId, slug: 'max' }, directory });
        return directory;
      };
      const imported = async (ownerId: string, directory: string) =>
        importFolder({
          database,
          events,
          clock: home.clock,
          ownerId,
          directory,
          others: hostFolders(),
          raw: false,
          once: false,
          peerId: 'self',
        });
      const emptyOwner = async () => (await home.people.owner()).id;
      return { directory: await exported(owner.id), exported, imported, emptyOwner };
    };
    const contents = (directory: string) =>
      folders.files(directory).map((path) => [path, readFileSync(join(directory, path), 'hex')]);

    test('goes from one owner to another, byte for byte', async () => {
      const { directory, exported, imported, emptyOwner } = await scene();
      const files = folders.files(directory);
      expect(new Set(files.map((path) => path.replace(/[^/]+$/, '')))).toEqual(
        new Set([
          'journal/',
          'memory/continuity/',
          'memory/coordination/handoffs/',
          'memory/coordination/reconciliations/',
          'memory/coordination/shared/',
          'memory/core/',
          'memory/schedule/items/',
          'messages/',
          'peers/',
          'projects/',
          'tasks/done/',
          'tasks/open/',
        ]),
      );
      const other = await emptyOwner();
      const report = await imported(other, directory);
      expect(report).toMatchObject({ unchanged: 0, known: 0, unknown: [], refused: [] });
      expect(report?.imported.toSorted()).toEqual(files.toSorted());
      expect(contents(await exported(other))).toEqual(contents(directory));
      expect(await imported(other, directory)).toMatchObject({ imported: [], unchanged: files.length });
    });

    test('what was changed in the folder takes the place of what is there', async () => {
      const { directory, exported, imported, emptyOwner } = await scene();
      const other = await emptyOwner();
      await imported(other, directory);
      const edit = (path: string, change: object) =>
        writeFileSync(join(directory, path), JSON.stringify({ ...read(directory, path), ...change }));
      const shared = folders.files(directory).find((path) => path.includes('/shared/')) ?? '';
      const version = Number(read(directory, shared)['version']) + 1;
      edit(shared, { version, title: 'edited' });
      // Where it is by its status, whatever its place in the folder says.
      edit('tasks/done/two.json', { status: 'open', title: 'again' });
      const report = await imported(other, directory);
      expect(report?.imported.toSorted()).toEqual([shared, 'tasks/done/two.json']);
      const again = await exported(other);
      expect(folders.files(again).filter((path) => path.startsWith('tasks/'))).toEqual([
        'tasks/open/one.json',
        'tasks/open/two.json',
      ]);
      expect(read(again, 'tasks/open/two.json')).toMatchObject({ status: 'open', title: 'again' });
      expect(read(again, shared)).toMatchObject({ version, title: 'edited' });
      writeFileSync(join(directory, 'tasks/open/bad.json'), '{');
      writeFileSync(join(directory, 'tasks/open/odd.json'), '{"task_id":"odd"}');
      expect((await imported(other, directory))?.refused).toEqual([
        { path: 'tasks/open/bad.json', error: 'not the JSON of a task' },
        { path: 'tasks/open/odd.json', error: expect.stringMatching(/^not a task: ./) },
      ]);
    });

    test('a reminder that was changed comes in, and one that does not fit what is there is refused', async () => {
      const { directory, exported, imported, emptyOwner } = await scene();
      const other = await emptyOwner();
      await imported(other, directory);
      const [path = '', second = ''] = folders
        .files(directory)
        .filter((file) => file.startsWith('memory/schedule/items/'));
      const item = read(directory, path);
      const version = Number(item['version']) + 1;
      const importedWith = async (file: string, change: object) => {
        writeFileSync(join(directory, file), JSON.stringify({ ...item, ...change }));
        const report = await imported(other, directory);
        return [report?.imported, report?.refused.map(({ error }) => error)];
      };
      expect(await importedWith(path, { version, title: 'edited' })).toEqual([[path], []]);
      expect(read(await exported(other), path)).toMatchObject({ version, title: 'edited' });
      expect(await importedWith(path, { version: version - 1 })).toEqual([
        [],
        ['a newer version of it is there'],
      ]);
      expect(await importedWith(path, { version, create_identity_hash: '0' })).toEqual([
        [],
        ['create_identity_hash is not that of create_identity_json'],
      ]);
      expect(await importedWith(path, { schedule_id: 'sched_another' })).toEqual([
        [],
        ['its id is not that of its path'],
      ]);
      const key = read(directory, second)['idempotency_key'];
      expect(await importedWith(path, { version, idempotency_key: key })).toEqual([
        [],
        [`${String(read(directory, second)['schedule_id'])} has its idempotency_key`],
      ]);
    });

    test('the original system keeps reminders in a database, which is taken over as well', async () => {
      const { directory, exported, imported, emptyOwner } = await scene();
      const before = contents(directory);
      const items = folders
        .files(directory)
        .filter((path) => path.startsWith('memory/schedule/items/'))
        .map((path) => read(directory, path));
      rmSync(join(directory, 'memory/schedule/items'), { recursive: true });
      const keep = (rows: readonly Record<string, unknown>[]) => {
        const file = join(directory, 'memory/schedule/schedule.db');
        rmSync(file, { force: true });
        const handle = openSqliteHandle(file, { readOnly: false });
        handle.exec('CREATE TABLE schema_migrations (version integer)');
        const names = Object.keys(items[0] ?? {}).map((name) =>
          name === 'metadata' ? 'metadata_json' : name,
        );
        handle.exec(`CREATE TABLE schedule_items (${names.join(', ')}, due_at_ts)`);
        for (const row of rows) {
          const values = Object.entries(row).map(([name, value]) =>
            name === 'metadata' ? JSON.stringify(value) : (value as string | number | null),
          );
          handle
            .prepare(`INSERT INTO schedule_items VALUES (${values.map(() => '?').join(', ')}, 0)`)
            .run(...values);
        }
        handle.close();
      };
      keep(items);
      const other = await emptyOwner();
      const report = await imported(other, directory);
      expect(report).toMatchObject({ unknown: [], refused: [] });
      expect(report?.imported).toContain('memory/schedule/schedule.db');
      expect(contents(await exported(other))).toEqual(before);
      expect(await imported(other, directory)).toMatchObject({ imported: [], refused: [] });
      const log = join(directory, 'memory/schedule/schedule.db-wal');
      writeFileSync(log, 'something');
      expect((await imported(other, directory))?.refused).toEqual([
        { path: 'memory/schedule/schedule.db-wal', error: expect.stringContaining('end the program') },
      ]);
      writeFileSync(log, '');
      // One that is not as it should be stays out, and the others come in.
      keep(items.map((item, at) => (at === 0 ? { ...item, kind: 'alarm' } : item)));
      const third = await emptyOwner();
      expect((await imported(third, directory))?.refused).toEqual([
        {
          path: 'memory/schedule/schedule.db',
          error: `1 of 2 reminders: ${String(items[0]?.['schedule_id'])}: not the JSON of a schedule item`,
        },
      ]);
      expect(folders.files(await exported(third)).filter((path) => path.includes('schedule'))).toHaveLength(
        1,
      );
      const database = join(directory, 'memory/schedule/schedule.db');
      const handle = openSqliteHandle(database, { readOnly: false });
      handle.exec('ALTER TABLE schedule_items DROP COLUMN due_at');
      handle.close();
      const without = readFileSync(database);
      for (const bytes of [without, Buffer.from('no database'), Buffer.alloc(0)]) {
        writeFileSync(database, bytes);
        expect((await imported(third, directory))?.refused).toEqual([
          { path: 'memory/schedule/schedule.db', error: 'not a database of reminders' },
        ]);
      }
    });
  });
});
