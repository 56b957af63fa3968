import { join } from 'node:path';
import type { Database } from '../../platform/database/database.ts';
import { takeLock } from '../../platform/database/lock-file.ts';
import { ARCHIVE_FOLDER, COLD_FOLDER, FALLBACK_FOLDER } from '../artifacts/paths.ts';
import { newestRevisionId } from '../artifacts/revision-store.ts';
import { FALLBACK } from '../artifacts/artifact-table.ts';
import { isToldOf, keptContent, type KeptFile, keptFiles } from './artifact-files.ts';
import { ExportRefused, GitError } from './errors.ts';
import { oldestRecordedAt, recordedAt } from './export-store.ts';
import { type Commit, CommitStream, type FileChange } from './fast-import.ts';
import type { GitProgram, RunningGit } from './git-program.ts';
import {
  BRANCH,
  claim,
  committerOf,
  openRepository,
  type MirrorPosition,
  removeCrashReports,
  type Repository,
} from './repository.ts';
import { filesOf } from './revision-files.ts';
import { revisionsBetween, settledHead } from './revision-pages.ts';
import { updateWorkTree, type WorkTreeOutcome } from './work-tree.ts';

export interface ExportOptions {
  readonly database: Database;
  readonly git: GitProgram;
  readonly owner: { readonly id: string; readonly slug: string };
  readonly directory: string;
  /** Commits between two moments from which an interrupted export goes on. */
  readonly checkpointEvery?: number;
  /** Throws when another writes here by now: asked before anything of this run becomes visible. */
  readonly stillMine?: () => Promise<void>;
}

export interface ExportResult {
  readonly directory: string;
  /** Made by this run. */
  readonly commits: number;
  readonly tip: string | undefined;
  readonly workTree: WorkTreeOutcome;
}

const CHECKPOINT_EVERY = 5_000;
/** Loose files of small exports are packed once so many revisions have gone by. */
const TIDY_EVERY = 500;
/** All files of a commit are in memory at once. */
const FILES_PER_COMMIT = 200;

/** Writes what is new of an owner's memory into a git repository, one commit for each revision. */
export async function exportMemory(options: ExportOptions): Promise<ExportResult> {
  const repository = await openRepository(options.git, options.directory);
  const lock = takeLock(join(repository.gitDir, 'parley-export.lock'));
  if (!lock.taken) {
    throw new ExportRefused(
      `another export (pid ${lock.holder.pid}) is writing into ${repository.directory}; try again when it is done`,
    );
  }
  try {
    return await new Export(options, repository).run();
  } finally {
    lock.release();
  }
}

class Export {
  readonly #options: ExportOptions;
  readonly #repository: Repository;
  #running: RunningGit | undefined;
  #stream: CommitStream | undefined;
  #commits = 0;

  constructor(options: ExportOptions, repository: Repository) {
    this.#options = options;
    this.#repository = repository;
  }

  async run(): Promise<ExportResult> {
    const { database, owner } = this.#options;
    removeCrashReports(this.#repository);
    const position = await claim(this.#repository, owner);
    const head = await settledHead(database.read, owner.id);
    if (position) await this.#requireSameStory(position, head);
    try {
      if (!position) await this.#beginning();
      await this.#revisions(position?.revisionId ?? 0, head);
      await this.#finish();
      await this.#leftovers(head);
      await this.#finish();
    } catch (error) {
      await this.#running?.abandon();
      throw error;
    }
    await this.#options.stillMine?.();
    const refs = await this.#repository.refs();
    const workTree = await updateWorkTree(this.#repository, refs);
    await this.#tidy(position?.revisionId ?? 0, head);
    const { directory } = this.#repository;
    return { directory, commits: this.#commits, tip: refs.tip, workTree };
  }

  /** A store put back from a backup counts on from an older number: its revisions are not those written here. */
  async #requireSameStory({ revisionId, at }: MirrorPosition, head: number): Promise<void> {
    const { database, owner } = this.#options;
    const recorded = await recordedAt(database.read, owner.id, revisionId);
    if (revisionId <= head && (recorded === undefined || Math.floor(recorded / 1000) === at)) return;
    throw new ExportRefused(
      `${this.#repository.directory} holds revisions this store does not have, as after a backup was put back; ` +
        'export into a new folder',
    );
  }

  /** What was there before the oldest revision that is kept. */
  async #beginning(): Promise<void> {
    const { database, owner } = this.#options;
    const untold: KeptFile[] = [];
    for await (const file of keptFiles(database.read, owner.id)) {
      if (file.key.state !== FALLBACK && !(await isToldOf(database.read, owner.id, file))) untold.push(file);
    }
    await this.#keep(untold, [], 0, (await oldestRecordedAt(database.read, owner.id)) ?? 0);
  }

  async #revisions(after: number, head: number): Promise<void> {
    const { database, owner } = this.#options;
    for await (const revision of revisionsBetween(database.read, owner.id, after, head)) {
      const { id, peer_id: peer, recorded_at: at, commit_message: message } = revision;
      const author = { name: peer, email: `${peer}@parley.invalid` };
      const changes = await filesOf(database.read, revision);
      await this.#write(changes, { author, revisionId: id, at, message });
    }
  }

  /** Archives whose revision was forgotten before it could be exported, and snapshots an import has set apart. */
  async #leftovers(head: number): Promise<void> {
    const { database, owner } = this.#options;
    const folders = [FALLBACK_FOLDER, ARCHIVE_FOLDER, COLD_FOLDER];
    const { tip } = await this.#repository.refs();
    const extra = new Set(tip ? await this.#repository.files(tip, folders) : []);
    const missing: KeptFile[] = [];
    for await (const file of keptFiles(database.read, owner.id)) {
      if (!extra.delete(file.path)) missing.push(file);
    }
    if (missing.length === 0 && extra.size === 0) return;
    // Somebody writes meanwhile: what differs may be theirs, and the next run will tell.
    if (((await newestRevisionId(database.read, owner.id)) ?? 0) !== head) return;
    await this.#keep(missing, [...extra], head, (await recordedAt(database.read, owner.id, head)) ?? 0);
  }

  async #keep(
    files: readonly KeptFile[],
    gone: readonly string[],
    revisionId: number,
    at: number,
  ): Promise<void> {
    const { database, owner } = this.#options;
    let changes: FileChange[] = gone.map((path) => ({ path }));
    const author = { name: 'Parley', email: 'self@parley.invalid' };
    const message = 'continuity: files no revision tells of';
    for (const file of files) {
      const content = await keptContent(database.read, owner.id, file);
      if (content !== undefined) changes.push({ path: file.path, content });
      if (changes.length < FILES_PER_COMMIT) continue;
      await this.#write(changes, { author, revisionId, at, message });
      changes = [];
    }
    if (changes.length > 0) await this.#write(changes, { author, revisionId, at, message });
  }

  async #write(
    changes: readonly FileChange[],
    { revisionId, ...commit }: Pick<Commit, 'author' | 'at' | 'message'> & { revisionId: number },
  ): Promise<void> {
    this.#stream ??= await this.#open();
    const committer = committerOf(this.#options.owner.id, revisionId);
    await this.#stream.add({ ...commit, committer, changes });
    this.#commits += 1;
  }

  async #open(): Promise<CommitStream> {
    const { tip } = await this.#repository.refs();
    this.#running = this.#repository.start(['fast-import', '--quiet', '--done', '--date-format=raw']);
    const every = this.#options.checkpointEvery ?? CHECKPOINT_EVERY;
    return new CommitStream(this.#running, BRANCH, tip, every);
  }

  async #finish(): Promise<void> {
    // Who stands still after this finds the branch moved on, and git refuses to move it back.
    if (this.#stream) await this.#options.stillMine?.();
    await this.#stream?.finish();
    this.#stream = undefined;
    this.#running = undefined;
  }

  async #tidy(before: number, after: number): Promise<void> {
    if (Math.floor(before / TIDY_EVERY) === Math.floor(after / TIDY_EVERY)) return;
    try {
      await this.#repository.run(['gc', '--auto', '--quiet']);
    } catch (error) {
      // The history is written; that it takes more room than it must is no failure of the export.
      if (!(error instanceof GitError) || error.fault === 'stopped') throw error;
    }
  }
}
