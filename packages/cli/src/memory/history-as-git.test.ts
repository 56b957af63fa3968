import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { baseCapsule, T } from '@parley/server/continuity/testing/base-capsule';
import { Memory } from '@parley/server/continuity/testing/memory';
import { People } from '@parley/server/identity/testing/people';
import { describeEachServer } from '@parley/server/testing/each-server';
import { describeWithGit, GitFolders } from '@parley/server/testing/git';
import type { TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

describeWithGit('parley memory export and import', () => {
  describeEachServer('parley memory export and import', (start) => {
    const folders = new GitFolders();
    const root = mkdtempSync(join(tmpdir(), 'parley-memory-'));
    let server: TestServer;
    let people: People;
    let terminal: Terminal;
    beforeAll(async () => {
      server = await start({ rateLimits: false });
      people = new People(server);
      const { dataDir, databaseUrl } = server.context.config;
      terminal = new Terminal({
        PARLEY_DATA_DIR: dataDir,
        ...(databaseUrl && { PARLEY_DATABASE_URL: databaseUrl }),
      });
    });
    afterAll(() => {
      terminal.remove();
      rmSync(root, { recursive: true, force: true });
    });

    const owner = async () => {
      const registered = await people.owner();
      return Object.assign(new Memory(people, registered), { slug: registered.slug });
    };
    const parley = async (...args: string[]) => {
      const { code, stdout, stderr } = await terminal.run(['memory', ...args]);
      return { code, stdout, stderr };
    };
    let count = 0;
    const folder = (files: Record<string, string>): string => {
      const directory = join(root, `folder${++count}`);
      for (const [name, content] of Object.entries(files)) {
        const file = join(directory, 'memory/continuity', name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
      return directory;
    };

    test('export beside a running server: what is new each time, and how much that was', async () => {
      const max = await owner();
      await max.store('user', 'a', {}, T(1), { commit_message: 'the first' });
      const directory = folders.folder();
      const args = ['export', '--git', directory, '--owner', max.slug];
      const first = await parley(...args);
      expect([first.code, first.stdout]).toEqual([
        0,
        expect.stringMatching(/^1 commit into .* \(main is [0-9a-f]{10}\)\n$/),
      ]);
      expect(folders.log(directory, '%s')).toEqual(['the first']);
      expect((await parley(...args)).stdout).toMatch(/^nothing new for /);
      await max.store('user', 'a', {}, T(2));
      const { code, stdout } = await parley(...args, '--json');
      expect([code, JSON.parse(stdout)]).toEqual([
        0,
        { directory, commits: 1, tip: expect.stringMatching(/^[0-9a-f]{40}$/), work_tree: 'updated' },
      ]);
      const file = join(directory, 'memory/continuity/user-a.json');
      writeFileSync(file, 'mine');
      await max.store('user', 'a', {}, T(3));
      const left = await parley(...args);
      expect(left.stdout).toContain(
        'were left as they are: files were changed there\n  memory/continuity/user-a.json\n',
      );
      expect(readFileSync(file, 'utf8')).toBe('mine');
    });

    test('import beside a running server: read by it at once', async () => {
      const max = await owner();
      await max.store('user', 'a', {}, T(1));
      expect((await max.capsule('user', 'a')).updated_at).toBe(T(1));
      const directory = folder({
        'user-a.json': JSON.stringify(baseCapsule('user', 'a', T(4))),
        'user-b.json': JSON.stringify(baseCapsule('user', 'b', T(4))),
        'notes\u001b[2J.txt': 'x',
      });
      const { code, stdout } = await parley('import', directory, '--owner', max.slug);
      expect([code, stdout]).toEqual([
        0,
        'left memory/continuity/notes\\x1b[2J.txt: not a document of memory\n' +
          '2 imported, 0 unchanged, 0 refused, 1 left\n',
      ]);
      expect((await max.capsule('user', 'a')).updated_at).toBe(T(4));
      // The server goes on from what it finds, not from what it wrote last.
      const patch = {
        subject_kind: 'user',
        subject_id: 'a',
        updated_at: T(5),
        operations: [{ target: 'continuity.open_loops', action: 'append', value: 'after the import' }],
      };
      expect((await max.call('patch', patch)).status).toBe(200);
      expect((await max.capsule('user', 'a')).continuity.open_loops).toEqual([
        'answer review',
        'after the import',
      ]);
      const again = await parley('import', directory, '--owner', max.slug, '--json', '--raw');
      expect(JSON.parse(again.stdout)).toMatchObject({
        ok: true,
        imported: [expect.stringContaining('user-a')],
        unchanged: 1,
      });
    });

    test('writers are not held up by an import beside them', async () => {
      const max = await owner();
      const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
      const directory = folder(
        Object.fromEntries(names.map((id) => [`user-${id}.json`, JSON.stringify(baseCapsule('user', id))])),
      );
      const state = { done: false };
      const importing = parley('import', directory, '--owner', max.slug).finally(() => (state.done = true));
      let written = 0;
      while (!state.done) {
        await max.store('user', 'busy', {}, new Date(Date.UTC(2026, 0, 1) + ++written * 1000).toISOString());
      }
      expect(await importing).toMatchObject({
        code: 0,
        stdout: '200 imported, 0 unchanged, 0 refused, 0 left\n',
      });
      expect(written).toBeGreaterThan(0);
    });

    test('a document that is refused keeps all out, and the exit code says so', async () => {
      const max = await owner();
      const directory = folder({
        'user-a.json': '{nope',
        'user-b.json': JSON.stringify(baseCapsule('user', 'b')),
      });
      const { code, stdout } = await parley('import', directory, '--owner', max.slug);
      expect([code, stdout]).toEqual([
        1,
        'refused memory/continuity/user-a.json: Invalid continuity capsule JSON: not JSON\n' +
          '0 imported, 0 unchanged, 1 refused, 0 left\n',
      ]);
      expect((await max.list()).body.count).toBe(0);
      expect((await parley('import', directory, '--owner', max.slug, '--raw')).code).toBe(0);
    });

    test('says plainly what is wrong, and with which code', async () => {
      const max = await owner();
      const export_ = ['export', '--git', folders.folder()];
      expect(await parley(...export_, '--owner', 'nobody')).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^parley: there is no owner nobody in this store\n/) as string,
      });
      const nowhere = join(root, 'nowhere');
      expect(await parley('import', nowhere, '--owner', max.slug)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`parley: the folder ${nowhere} does not exist\n`) as string,
      });
      const empty = folder({});
      mkdirSync(empty);
      expect((await parley('import', empty, '--owner', max.slug)).stderr).toContain(
        'no folder memory/continuity',
      );
      const full = folder({ 'user-a.json': '{}' });
      expect((await parley('export', '--git', full, '--owner', max.slug)).stderr).toContain(
        'neither empty nor',
      );
      const without = new Terminal({
        PARLEY_DATA_DIR: server.context.config.dataDir,
        PARLEY_GIT_PROGRAM: '/nonexistent/git',
      });
      if (server.context.config.databaseUrl === undefined) {
        const { code, stderr } = await without.run(['memory', ...export_, '--owner', max.slug]);
        expect([code, stderr]).toEqual([1, expect.stringContaining('install git')]);
      }
      const lost = await without.run([
        'memory',
        ...export_,
        '--owner',
        max.slug,
        '--data-dir',
        join(root, 'none'),
      ]);
      without.remove();
      expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no store in') });
      expect((await parley(...export_, '--owner', max.slug, '--config', join(root, 'none'))).code).toBe(2);
    });
  });
});
