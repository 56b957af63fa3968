import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { exportMemory } from '../../continuity/git/export.ts';
import { GitProgram } from '../../continuity/git/git-program.ts';
import { importFolder } from '../../continuity/import/import.ts';
import { hostFolders } from '../../memory-folders.ts';
import { systemClock } from '../../platform/clock.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { describeWithGit, GitFolders } from '../../testing/git.ts';
import { type Library, type LibraryServer, startLibrary } from '../testing/library.ts';

function plant(directory: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

describeWithGit('knowledge › as files', () => {
  describeEachServer('knowledge › as files', (start) => {
    const folders = new GitFolders();
    let home: LibraryServer;
    beforeAll(async () => {
      home = await startLibrary(start);
    });
    const exported = async (library: Library, directory: string) =>
      exportMemory({
        database: home.server.context.database,
        git: new GitProgram({ program: 'git', clock: systemClock }),
        owner: { id: library.memory.ownerId, slug: 'max' },
        directory,
      });
    const imported = async (library: Library, directory: string, once = false) => {
      const { database, events } = home.server.context;
      const report = await importFolder({
        database,
        events,
        clock: home.clock,
        ownerId: library.memory.ownerId,
        peerId: 'self',
        others: hostFolders(),
        directory,
        raw: once,
        once,
      });
      if (!report) throw new Error('a folder with documents holds nothing');
      return report;
    };

    test('an export holds every document and task as it is now, and goes back in as it was', async () => {
      const library = await home.library();
      await library.put('projects/a.md', 'first');
      await library.put('projects/a.md', 'second 🙂\0');
      await library.post('/v1/append', { path: 'journal/l.jsonl', record: { n: 1 } });
      await library.task('t1', { thread_id: 'th1' });
      await library.call('PATCH', '/v1/tasks/t1', { body: { status: 'done' } });
      const directory = folders.folder();
      await exported(library, directory);
      expect(folders.files(directory)).toEqual(['journal/l.jsonl', 'projects/a.md', 'tasks/done/t1.json']);
      await library.put('projects/a.md', 'third');
      await exported(library, directory);
      expect(folders.git(directory, 'show', 'main:projects/a.md')).toBe('third');
      const other = await home.library();
      await other.rebuild();
      expect(await imported(other, directory)).toEqual({
        imported: ['journal/l.jsonl', 'projects/a.md', 'tasks/done/t1.json'],
        unchanged: 0,
        known: 0,
        unknown: [],
        refused: [],
      });
      for (const path of ['journal/l.jsonl', 'projects/a.md', 'tasks/done/t1.json']) {
        expect((await other.read(path)).body).toEqual((await library.read(path)).body);
      }
      expect(await other.found('third')).toEqual(['projects/a.md']);
      expect((await imported(other, directory)).unchanged).toBe(3);
    });

    test('what is no document is refused or left, and what is there already stays when asked so', async () => {
      const library = await home.library();
      await library.put('docs/kept.md', 'mine');
      const directory = folders.folder();
      plant(directory, {
        'docs/kept.md': 'theirs',
        'docs/new.md': 'new',
        'docs/bytes.md': Buffer.from([0xff, 0xfe]),
        'config/peer_tokens.json': 'secret',
        'memory/core/values.md': 'v',
        'bogus/x.md': 'x',
        'tasks/notes.txt': 'x',
        'tasks/open/bad.json': '{"task_id":"../x"}',
        'tasks/open/ok.json': JSON.stringify({
          task_id: 'ok',
          title: 't',
          owner_peer: 'p',
          created_at: '2026-01-02T03:04:05Z',
        }),
      });
      symlinkSync('/etc/hostname', join(directory, 'docs/link.md'));
      const report = await imported(library, directory, true);
      expect(report.imported).toEqual(['docs/new.md', 'memory/core/values.md', 'tasks/open/ok.json']);
      expect(report.known).toBe(1);
      expect(report.unknown).toEqual(['docs/link.md', 'tasks/notes.txt']);
      expect(report.refused.map(({ path }) => path)).toEqual(['docs/bytes.md', 'tasks/open/bad.json']);
      expect((await library.read('docs/kept.md')).body.content).toBe('mine');
      const { body } = await library.read('tasks/open/ok.json');
      expect(JSON.parse(body.content)).toMatchObject({ status: 'open', created_at: '2026-01-02T03:04:05Z' });
      await imported(library, directory);
      expect((await library.read('docs/kept.md')).body.content).toBe('theirs');
    });

    test('a document does not take the place of a folder, nor of a part of its way', async () => {
      const library = await home.library();
      await library.put('docs/a', 'a document');
      await library.put('docs/b/c.md', 'in a folder');
      const directory = folders.folder();
      plant(directory, { 'docs/a/under.md': 'x', 'docs/b': 'y', 'docs/d.md': 'z' });
      const report = await imported(library, directory);
      expect(report.imported).toEqual(['docs/d.md']);
      expect(report.refused).toEqual([
        { path: 'docs/a/under.md', error: 'a document is in the way: docs/a' },
        { path: 'docs/b', error: 'a folder of that name is there' },
      ]);
    });

    test('a folder of the start-up setting is taken over whole', async () => {
      const directory = folders.folder();
      plant(directory, { 'projects/a.md': 'from before' });
      const other = await startLibrary(start, { memoryImport: [directory] });
      const library = await other.library();
      expect((await library.read('projects/a.md')).body.content).toBe('from before');
    });
  });
});
