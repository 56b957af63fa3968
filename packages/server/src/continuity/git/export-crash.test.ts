import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrations.ts';
import { startChild } from '../../testing/child-program.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { describeWithGit, GitFolders } from '../../testing/git.ts';
import { continuityMigrations } from '../migrations.ts';
import { recordRevision } from '../artifacts/record-change.ts';
import { exportMemory } from './export.ts';
import { GitProgram } from './git-program.ts';
import { settledHead } from './revision-pages.ts';

const REVISIONS = 600;

/** Hands a part of the history on to git, cut off somewhere in the middle of a commit, and then nothing more. */
const HALF_WAY = (bytes: number, pidFile: string): string => `#!/bin/sh
case "$*" in
  *fast-import*) echo $$ > "${pidFile}"; { head -c ${bytes}; exec sleep 600; } | git "$@" ;;
  *) exec git "$@" ;;
esac
`;

const draft = (number: number) => ({
  ownerId: 'owner',
  kind: 'user',
  slug: 'a',
  subjectId: 'a',
  operation: 'upsert' as const,
  path: 'memory/continuity/user-a.json',
  now: number * 1000,
  peerId: 'self',
  commitMessage: `number ${number}`,
  document: `${number} ${'x'.repeat(700)}`,
});

async function fill(database: Database): Promise<void> {
  await migrate(database, [continuityMigrations], () => 0);
  await database.write(async (tx) => {
    for (let number = 1; number <= REVISIONS; number++) await recordRevision(tx, draft(number));
  });
}

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve: (() => void) | undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve?.() };
}

/** A reader that tells each time it is asked for a list of values, as it is to see who writes. */
const watched = (reader: Reader, asked: () => void): Reader =>
  new Proxy(reader, {
    get(whole, name) {
      if (name === 'values') asked();
      const member: unknown = Reflect.get(whole, name);
      return typeof member === 'function' ? (member.bind(whole) as unknown) : member;
    },
  });

describeWithGit('continuity › history as git › kill -9', () => {
  describeEachDatabase('continuity › history as git › kill -9', (open, { location, dialect }) => {
    const folders = new GitFolders();

    test('an export that is cut off goes on from its last whole commit, and doubles none', async () => {
      const at = await location();
      const database = await open({ at });
      await fill(database);
      const directory = folders.folder();
      const pidFile = join(folders.root, `${dialect}.pid`);
      const program = join(folders.root, `${dialect}-half-way`);
      // The first is cut off before there is anything to go on from, the second after.
      for (const [bytes, reached] of [
        [50_000, 0],
        [300_000, 300],
      ] as const) {
        writeFileSync(program, HALF_WAY(bytes, pidFile));
        chmodSync(program, 0o755);
        const child = await startChild('export-memory', [JSON.stringify(at), directory, program, '100']);
        const count = () =>
          existsSync(join(directory, '.git/refs/heads/main')) ? folders.log(directory, '%s').length : 0;
        const pid = (): string => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '');
        await expect.poll(() => pid() !== '' && count() >= reached).toBe(true);
        await child.kill();
        process.kill(-Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
        writeFileSync(pidFile, '');
        expect(count()).toBe(reached);
      }

      const git = new GitProgram({ program: 'git', clock: systemClock });
      const owner = { id: 'owner', slug: 'max' };
      const { commits } = await exportMemory({ database, git, owner, directory });
      expect(commits).toBe(REVISIONS - 300);
      expect(folders.log(directory, '%s')).toEqual(
        Array.from({ length: REVISIONS }, (_, index) => `number ${index + 1}`),
      );
      expect(folders.git(directory, 'status', '--porcelain')).toBe('');
      expect(folders.git(directory, 'fsck', '--strict', '--no-dangling')).toBe('');
    });

    test('a revision that is committed after a later one is waited for', async () => {
      const database = await open();
      await migrate(database, [continuityMigrations], () => 0);
      const [written, gate] = [signal(), signal()];
      const early = database.write(async (tx) => {
        const { revision } = await recordRevision(tx, draft(1));
        written.resolve();
        await gate.promise;
        return revision.id;
      });
      await written.promise;
      const late = database.write(
        async (tx) => (await recordRevision(tx, { ...draft(2), slug: 'b' })).revision,
      );
      // SQLite has one writer, so there the later one waits itself.
      if (dialect === 'postgres') await late;
      let settled = false;
      let looks = 0;
      const head = settledHead(
        watched(database.read, () => (looks += 1)),
        'owner',
      ).then((id) => {
        settled = true;
        return id;
      });
      if (dialect === 'postgres') {
        await expect.poll(() => looks).toBeGreaterThan(3);
        expect(settled).toBe(false);
      }
      gate.resolve();
      expect((await late).id).toBeGreaterThan(await early);
      expect(await head).toBe(dialect === 'postgres' ? (await late).id : 0);
    });
  });
});
