import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { describeWithGit, GitFolders } from '../../testing/git.ts';
import { T } from '../testing/base-capsule.ts';
import { type MemoryServer, startMemory } from '../testing/memory.ts';
import { exportMemory } from './export.ts';
import { GitProgram } from './git-program.ts';

describeWithGit('continuity › history as git', () => {
  describeEachServer('continuity › programs that a repository names', (start) => {
    const folders = new GitFolders();
    let home: MemoryServer;
    beforeAll(async () => {
      home = await startMemory(start);
    });

    const exportTo = (ownerId: string, directory: string) =>
      exportMemory({
        database: home.server.context.database,
        git: new GitProgram({ program: 'git', clock: systemClock }),
        owner: { id: ownerId, slug: 'max' },
        directory,
      });
    /** A repository and a program that tells when it was run. */
    const trap = () => {
      const directory = folders.folder();
      folders.git(folders.root, 'init', '--quiet', directory);
      const [program, sprung] = [`${directory}.sh`, `${directory}.sprung`];
      writeFileSync(program, `#!/bin/sh\ntouch '${sprung}'\nexec cat\n`);
      chmodSync(program, 0o755);
      return {
        directory,
        program,
        sprung: () => existsSync(sprung),
        configure: (text: string) => appendFileSync(join(directory, '.git/config'), `${text}\n`),
      };
    };

    test.each([
      ['in its configuration', (text: string) => text, undefined],
      ['in a file that includes', () => '[include]\n\tpath = more', (text: string) => text],
      ['in that of the work tree', () => '[extensions]\n\tworktreeConfig = true', (text: string) => text],
    ])('a filter %s is not run: the folder is refused', async (where, own, more) => {
      const { directory, program, sprung, configure } = trap();
      const filter = `[filter "trap"]\n\tsmudge = ${program}\n\tclean = ${program}`;
      configure(own(filter));
      const other = where.includes('work tree') ? 'config.worktree' : 'more';
      if (more) writeFileSync(join(directory, '.git', other), more(filter));
      mkdirSync(join(directory, '.git/info'), { recursive: true });
      writeFileSync(join(directory, '.git/info/attributes'), '* filter=trap\n');
      const memory = await home.owner();
      await memory.store('user', 'a');
      await expect(exportTo(memory.ownerId, directory)).rejects.toThrow('filter.trap');
      expect(sprung()).toBe(false);
    });

    test('nor is a program that checks signatures, a hook, or a watcher of files', async () => {
      const { directory, program, sprung, configure } = trap();
      const memory = await home.owner();
      await memory.store('user', 'a');
      await exportTo(memory.ownerId, directory);
      signNewest(folders, directory);
      mkdirSync(join(directory, '.git/hooks'), { recursive: true });
      configure(
        `[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ${program}\n[core]\n\tfsmonitor = ${program}`,
      );
      writeFileSync(join(directory, '.git/hooks/reference-transaction'), `#!/bin/sh\nexec '${program}'\n`);
      chmodSync(join(directory, '.git/hooks/reference-transaction'), 0o755);
      await memory.store('user', 'a', {}, T(2));
      expect((await exportTo(memory.ownerId, directory)).commits).toBe(1);
      expect(sprung()).toBe(false);
    });

    test('nor what would fetch an object that is not there', async () => {
      const { directory, program, sprung, configure } = trap();
      const memory = await home.owner();
      await memory.store('user', 'a');
      await exportTo(memory.ownerId, directory);
      const missing = folders.git(directory, 'rev-parse', 'main:memory').trim();
      configure(
        '[extensions]\n\tpartialClone = origin\n[protocol "ext"]\n\tallow = always\n' +
          `[remote "origin"]\n\turl = ext::${program}\n\tpromisor = true`,
      );
      folders.remove(directory, missing);
      await memory.store('user', 'a', {}, T(2));
      await expect(exportTo(memory.ownerId, directory)).rejects.toThrow();
      expect(sprung()).toBe(false);
    });
  });
});

/** The newest commit as if somebody had signed it. */
function signNewest(folders: GitFolders, directory: string): void {
  const plain = folders.git(directory, 'cat-file', 'commit', 'main');
  const end = plain.indexOf('\n\n');
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----';
  const file = `${directory}.commit`;
  writeFileSync(file, `${plain.slice(0, end)}\n${signature}${plain.slice(end)}`);
  const signed = folders.git(directory, 'hash-object', '-t', 'commit', '-w', file).trim();
  folders.git(directory, 'update-ref', 'refs/heads/main', signed);
  folders.git(directory, 'update-ref', 'refs/parley/work-tree', signed);
}
