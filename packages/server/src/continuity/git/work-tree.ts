import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GitError } from './errors.ts';
import { BRANCH, namesIn, type Refs, type Repository, SHOWN } from './repository.ts';

/** What became of the files a person sees. */
export type WorkTreeOutcome =
  | { readonly state: 'bare' | 'current' | 'updated' }
  /** Left as they are, because of changes made there, or because another branch is checked out. */
  | { readonly state: 'left'; readonly reason: string; readonly paths: readonly string[] };

/** Brings index and files to the tip of the branch. What somebody changed there is never overwritten. */
export async function updateWorkTree(repository: Repository, refs: Refs): Promise<WorkTreeOutcome> {
  const { workTree } = repository;
  if (workTree === undefined) return { state: 'bare' };
  const { tip, shown } = refs;
  if (tip === undefined || shown === tip) return { state: 'current' };
  const head = await repository.ask(['symbolic-ref', '--quiet', 'HEAD']);
  if (head !== BRANCH) return { state: 'left', reason: 'another branch is checked out', paths: [] };
  const before = shown ?? (await emptyTree(repository));
  const paths = await moveFiles(repository, workTree, before, tip);
  if (paths.length > 0) return { state: 'left', reason: 'files were changed there', paths };
  await repository.run(['update-ref', SHOWN, tip]);
  return { state: 'updated' };
}

async function emptyTree(repository: Repository): Promise<string> {
  return (await repository.run(['hash-object', '-t', 'tree', '--stdin'])).trim();
}

/** The paths that are in the way; none when all files were moved. */
async function moveFiles(
  repository: Repository,
  workTree: string,
  before: string,
  tip: string,
): Promise<string[]> {
  await repository.ask(['update-index', '-q', '--refresh']);
  const refused = await attempt(repository, ['read-tree', '-m', '-u', before, tip]);
  if (refused === undefined) return [];
  const changed = await changedByOthers(repository, workTree, before, tip);
  if (changed.length > 0) return changed;
  // Nobody changed anything: an earlier update was cut short, and its files are neither the old nor all the new ones.
  const still = await attempt(repository, ['read-tree', '--reset', '-u', tip]);
  if (still !== undefined) throw still;
  return [];
}

async function attempt(repository: Repository, args: readonly string[]): Promise<GitError | undefined> {
  try {
    await repository.run(args);
    return undefined;
  } catch (error) {
    if (error instanceof GitError && error.fault === 'failed') return error;
    throw error;
  }
}

/** Files that are neither what they were nor what they are to become. */
async function changedByOthers(
  repository: Repository,
  workTree: string,
  before: string,
  tip: string,
): Promise<string[]> {
  const notOld = await differingFrom(repository, before);
  const old = new Set(await repository.files(before));
  return (await differingFrom(repository, tip)).filter((path) =>
    old.has(path) ? notOld.includes(path) : existsSync(join(workTree, path)),
  );
}

/** Files that are not as in a tree, missing ones among them; found with an index of their own. */
async function differingFrom(repository: Repository, tree: string): Promise<string[]> {
  const index = join(repository.gitDir, 'parley-index');
  const env = { GIT_INDEX_FILE: index };
  try {
    rmSync(index, { force: true });
    await repository.run(['read-tree', tree], env);
    await repository.ask(['update-index', '-q', '--refresh'], env);
    return namesIn(await repository.run(['diff-files', '--name-only', '-z'], env));
  } finally {
    rmSync(index, { force: true });
  }
}
