import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../platform/error-words.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { ExportRefused, GitError } from './errors.ts';
import type { Signature } from './fast-import.ts';
import type { GitProgram, RunningGit } from './git-program.ts';

/** Where the history goes, whatever else the repository holds. */
export const BRANCH = 'refs/heads/main';

/** The commit the files a person sees were last brought to. The branch has moved on by then, so git does not know. */
export const SHOWN = 'refs/parley/work-tree';

export interface Refs {
  readonly tip: string | undefined;
  readonly shown: string | undefined;
  /** Whether the repository has no history at all. */
  readonly isEmpty: boolean;
}

/** How far an export has come: what its newest commit says of itself. */
export interface MirrorPosition {
  readonly revisionId: number;
  /** Unix seconds. */
  readonly at: number;
}

/**
 * The committer of a commit says which revision of which owner it holds. So the position is part of the history: it is
 * there exactly when the commit is, and the message stays what the agent wrote.
 */
export const committerOf = (ownerId: string, revisionId: number): Signature => ({
  name: 'Parley',
  email: `revision-${revisionId}.${ownerId}@parley.invalid`,
});

const COMMITTER = /^revision-(\d+)\.(.+)@parley\.invalid$/;
const COMMITTER_PATTERN = '<revision-[0-9]+\\.[^@]+@parley\\.invalid>';
const OWNER_KEY = 'parley.owner';

/** A git repository that holds, or may hold, the memory of one owner. */
export class Repository {
  readonly directory: string;
  readonly gitDir: string;
  /** Undefined for a bare one. */
  readonly workTree: string | undefined;
  readonly #git: GitProgram;

  constructor(git: GitProgram, place: { directory: string; gitDir: string; bare: boolean }) {
    this.#git = git;
    this.directory = place.directory;
    this.gitDir = place.gitDir;
    this.workTree = place.bare ? undefined : place.directory;
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    return this.#git.run([...this.#place(), ...args], env);
  }

  start(args: readonly string[]): RunningGit {
    return this.#git.start([...this.#place(), ...args]);
  }

  /** The first line of the answer, or undefined where git says no. */
  async ask(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string | undefined> {
    try {
      return (await this.run(args, env)).split('\n')[0];
    } catch (error) {
      if (error instanceof GitError && error.fault === 'failed') return undefined;
      throw error;
    }
  }

  /** What the branch and the work tree are at. */
  async refs(): Promise<Refs> {
    const lines = (await this.run(['for-each-ref', '--format=%(refname) %(objectname)'])).split('\n');
    const known = new Map(lines.filter(Boolean).map((line) => line.split(' ') as [string, string]));
    return { tip: known.get(BRANCH), shown: known.get(SHOWN), isEmpty: known.size === 0 };
  }

  /** The files of a tree, of some of its folders where any are named. */
  async files(tree: string, folders: readonly string[] = []): Promise<string[]> {
    return namesIn(await this.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree, ...folders]));
  }

  #place(): string[] {
    return [
      `--git-dir=${this.gitDir}`,
      ...(this.workTree === undefined ? [] : [`--work-tree=${this.workTree}`]),
    ];
  }
}

/** What git separates by NUL. */
export const namesIn = (text: string): string[] => text.split('\0').filter((name) => name !== '');

/** Opens the repository in `directory`, making it where there is nothing. Refuses what is something else. */
export async function openRepository(git: GitProgram, directory: string): Promise<Repository> {
  const path = resolve(directory);
  const content = contentOf(path);
  const found = await discover(git, path);
  if (found) {
    await refusePrograms(found);
    return found;
  }
  if (content.some((name) => name !== '.git') || existsSync(join(path, '.git', 'HEAD'))) {
    throw new ExportRefused(`${path} is neither empty nor a git repository; choose another folder`);
  }
  await git.run(['init', '--quiet', path]);
  const made = await discover(git, path);
  if (!made) throw new ExportRefused(`git made no repository in ${path}`);
  return made;
}

/** Settings by which a repository has git run programs, and which cannot be switched off from outside. */
const RUNS_PROGRAM = /^(?:filter\..*\.(?:clean|smudge|process)|gc\.recentobjectshook)$/s;

/** Folders come from elsewhere, too. What the user has set for all repositories is the user's own. */
async function refusePrograms(repository: Repository): Promise<void> {
  const listed = await repository.run([
    'config',
    '--list',
    '--includes',
    '--show-scope',
    '--name-only',
    '-z',
  ]);
  const words = listed.split('\0');
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope = '', name = ''] = words.slice(at, at + 2);
    if ((scope !== 'local' && scope !== 'worktree') || !RUNS_PROGRAM.test(name)) continue;
    throw new ExportRefused(
      `${repository.directory} has a setting that runs a program (${name}); remove it, or choose another folder`,
    );
  }
}

function contentOf(path: string): string[] {
  try {
    makeFolder(path);
    return readdirSync(path);
  } catch (error) {
    throw new ExportRefused(`${path} cannot be used: ${messageOf(error)}`);
  }
}

/** Only the folder itself counts: one inside somebody's repository is not that repository. */
async function discover(git: GitProgram, path: string): Promise<Repository | undefined> {
  const real = realpathSync(path);
  const args = ['-C', real, 'rev-parse', '--is-bare-repository', '--absolute-git-dir'];
  try {
    const [bare, gitDir = ''] = (await git.run(args, { GIT_CEILING_DIRECTORIES: dirname(real) })).split('\n');
    return new Repository(git, { directory: real, gitDir, bare: bare === 'true' });
  } catch (error) {
    if (!(error instanceof GitError) || error.fault !== 'failed') throw error;
    if (/dubious ownership/.test(error.message)) throw new ExportRefused(error.message);
    return undefined;
  }
}

/**
 * How far the export in this repository has come; undefined when it has not begun. Refuses a repository with another
 * history, and that of another owner.
 */
export async function claim(
  repository: Repository,
  owner: { readonly id: string; readonly slug: string },
): Promise<MirrorPosition | undefined> {
  const { directory } = repository;
  const { tip, isEmpty } = await repository.refs();
  if (tip === undefined) {
    const claimed = await repository.ask(['config', '--get', OWNER_KEY]);
    if (claimed && claimed !== owner.id) throw notTheirs(directory, owner.slug);
    if (!isEmpty) throw notOurs(directory);
    if (!claimed) requireNoFiles(repository);
    await repository.run(['config', OWNER_KEY, owner.id]);
    await repository.run(['symbolic-ref', 'HEAD', BRANCH]);
    return undefined;
  }
  const [email = '', at = ''] = (
    await repository.run([
      'log',
      '-1',
      '--topo-order',
      '--extended-regexp',
      `--committer=${COMMITTER_PATTERN}`,
      '--format=%ce%n%ct',
      BRANCH,
      '--',
    ])
  ).split('\n');
  const said = COMMITTER.exec(email);
  if (!said) throw notOurs(directory);
  if (said[2] !== owner.id) throw notTheirs(directory, owner.slug);
  return { revisionId: Number(said[1]), at: Number(at) };
}

const notTheirs = (directory: string, slug: string): ExportRefused =>
  new ExportRefused(
    `${directory} holds the memory of another owner than ${slug}, or that of another store; choose another folder`,
  );

const notOurs = (directory: string): ExportRefused =>
  new ExportRefused(
    `${directory} is a repository with a history of its own; choose an empty folder for the export`,
  );

function requireNoFiles({ directory, workTree }: Repository): void {
  const files = workTree === undefined ? [] : readdirSync(workTree);
  if (files.every((name) => name === '.git')) return;
  throw new ExportRefused(`${directory} holds files that are in no commit; choose an empty folder`);
}

/** Reports of imports that were cut short help nobody. */
export function removeCrashReports({ gitDir }: Repository): void {
  for (const name of readdirSync(gitDir)) {
    if (name.startsWith('fast_import_crash_')) rmSync(join(gitDir, name), { force: true });
  }
}
