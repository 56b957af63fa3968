import { isoSeconds } from '@parley/protocol/iso-seconds';
import { latestCommit } from '../../continuity/artifacts/commit-id.ts';
import { fileTexts } from '../../continuity/artifacts/record-file.ts';
import type { Tx } from '../../platform/database/database.ts';
import { progressListener } from '../../platform/progress.ts';
import { changeFacts, markRebuilt } from '../documents/file-store.ts';
import { fileFacts } from '../documents/file-table.ts';
import { inTurn, type KnowledgeContext, type FileAction } from '../knowledge-context.ts';
import {
  beginGeneration,
  changedAfter,
  countForPlans,
  endRebuild,
  filesAfter,
  findIndex,
  indexCounts,
  type IndexedFile,
  type NextFiles,
} from './index-store.ts';
import { type FileWithText, indexFiles } from './indexing.ts';
import { type IndexRef, sweepWords } from './vocabulary-store.ts';

/*
 * The life of an owner's index:
 *
 *   none ──rebuild begins──► being made ──rebuild ends──► there
 *                              │    ▲                      │
 *                       killed └────┘ the next one ◄───────┘ searched, kept up to date by every write, rebuilt in place
 *
 * It is made in many small writes, so that others get their turn; from the first of them on, every write puts its own file
 * in. While it is being made for the first time nobody sees it.
 */

const FILES_AT_ONCE = 50;
const BYTES_AT_ONCE = 512 * 1024;
/** So many that a plan made before may be wrong now. */
const MANY = 500;

/** Makes every row of the index anew. */
export const rebuild: FileAction = async (knowledge, { caller }) => {
  const { ownerId } = caller;
  const now = knowledge.clock.now();
  const index = await inTurn(knowledge.database, ownerId, (tx) => beginGeneration(tx, ownerId));
  const count = await indexAll(knowledge, ownerId, index, filesAfter);
  await end(knowledge, ownerId, now, count);
  // What is left of words that no file has any more.
  while (await inTurn(knowledge.database, ownerId, (tx) => sweepWords(tx, index)));
  return await told(knowledge, ownerId);
};

/** Looks at what changed since the last rebuild alone; without an index all of it did. */
export const rebuildIncremental: FileAction = async (knowledge, call) => {
  const { ownerId } = call.caller;
  const { read } = knowledge.database;
  const now = knowledge.clock.now();
  const known = await findIndex(read, ownerId);
  const { total, changed } = await indexCounts(read, ownerId);
  if (known?.generated_at == null) {
    const answer = await rebuild(knowledge, call);
    return { ...answer, incremental: { changed_count: total, removed_count: 0, unchanged_count: 0 } };
  }
  const count = await indexAll(knowledge, ownerId, known, changedAfter);
  await end(knowledge, ownerId, now, count);
  return {
    ...(await told(knowledge, ownerId)),
    incremental: {
      changed_count: changed,
      removed_count: known.removed_count,
      unchanged_count: total - changed,
    },
  };
};

export const indexStatus: FileAction = async ({ database }, { caller }) => {
  const index = await findIndex(database.read, caller.ownerId);
  const generatedAt = index?.generated_at ?? null;
  const there = generatedAt !== null;
  return {
    ok: true,
    generated_at: there ? isoSeconds(generatedAt) : null,
    file_count: there ? (await indexCounts(database.read, caller.ownerId)).total : 0,
    sqlite_fts: there,
    state_file: there,
  };
};

/** How many there were. */
async function indexAll(
  knowledge: KnowledgeContext,
  ownerId: string,
  index: IndexRef,
  next: NextFiles,
): Promise<number> {
  const hear = progressListener();
  const counts = hear && (await indexCounts(knowledge.database.read, ownerId));
  const expected = (next === changedAfter ? counts?.changed : counts?.total) ?? 0;
  for (let after = 0, count = 0; ; ) {
    const from = after;
    const files = await inTurn(knowledge.database, ownerId, async (tx) => {
      const few = fewEnough(await next(tx, ownerId, from, FILES_AT_ONCE));
      await indexAnew(tx, index, few);
      return few;
    });
    const last = files.at(-1);
    if (!last) return count;
    after = last.id;
    count += files.length;
    hear?.(count, Math.max(count, expected));
  }
}

/** The first is taken however large it is. */
function fewEnough(files: readonly IndexedFile[]): readonly IndexedFile[] {
  let bytes = 0;
  return files.filter(({ size }, at) => (bytes += size) <= BYTES_AT_ONCE || at === 0);
}

async function indexAnew(tx: Tx, index: IndexRef, files: readonly IndexedFile[]): Promise<void> {
  if (files.length === 0) return;
  const revisions = files.map((file) => file.revision_id);
  // Read in the transaction that holds the owner's lock: nobody replaces them meanwhile.
  const texts = await fileTexts(tx, revisions);
  const read: FileWithText[] = [];
  for (const file of files) {
    const { id, path, segments } = file;
    const text = texts.get(file.revision_id) ?? '';
    await changeFacts(tx, id, file, fileFacts(path, text));
    read.push({ id, path, text, segments });
  }
  const ids = files.map(({ id }) => id);
  await markRebuilt(tx, ids);
  await indexFiles(tx, index, read);
}

async function end(knowledge: KnowledgeContext, ownerId: string, now: number, count: number): Promise<void> {
  const { database } = knowledge;
  await inTurn(database, ownerId, (tx) => endRebuild(tx, ownerId, now));
  if (database.dialect === 'postgres' && count >= MANY) await database.write(countForPlans);
}

async function told({ database }: KnowledgeContext, ownerId: string): Promise<object> {
  return {
    ok: true,
    file_count: (await indexCounts(database.read, ownerId)).total,
    committed_files: [],
    latest_commit: await latestCommit(database.read, ownerId),
  };
}
