import { INDEX_FRESH_SECONDS } from '@parley/protocol/knowledge/limits';
import { CORE_MEMORY } from '@parley/protocol/knowledge/vocabulary';
import { mayRead } from '../../continuity/access.ts';
import { activePath } from '../../continuity/artifacts/paths.ts';
import { findActive } from '../../continuity/artifacts/stored-capsule.ts';
import type { Subject } from '../../continuity/capsule/subject.ts';
import { cutChars } from '../../platform/chars.ts';
import type { Caller } from '../../wire/caller.ts';
import { attributesOf, snippetOf } from '../documents/attributes.ts';
import { keyOf } from '../documents/path.ts';
import { textsOfFiles } from '../documents/save-file.ts';
import { termsOf } from '../index/words.ts';
import type { KnowledgeContext } from '../knowledge-context.ts';
import type { Filter } from '../search/result-store.ts';
import { filterOf, foundFiles } from '../search/search.ts';
import { type RawEvidence, rawScan, RAW_SNIPPET_CHARS } from './raw-scan.ts';
import type { Retrieval } from './selectors.ts';
import { DAY } from '../../platform/units.ts';

export interface Gathered {
  readonly rows: readonly RawEvidence[];
  /** What there is to say about the index. */
  readonly warnings: readonly string[];
}

const CORE_CHARS = 300;

/** What every task begins with, read whatever becomes of the index. */
export async function coreMemory({ database }: KnowledgeContext, caller: Caller): Promise<object[]> {
  const texts = await textsOfFiles(database.read, caller.ownerId, readable(caller, CORE_MEMORY));
  return Array.from(texts, ([path, text]) => ({ path, snippet: cutChars(text, CORE_CHARS) }));
}

/** Of a thread or task what its capsule points at, then what the words of subject and task lead to. */
export async function recentRelevant(retrieval: Retrieval): Promise<Gathered> {
  const { knowledge, caller, request, primary, now } = retrieval;
  const since = now - request.time_window_days * DAY;
  const filter = filterOf(caller, request.include_types, since);
  if (primary?.kind !== 'thread' && primary?.kind !== 'task') {
    const { rows, warnings } = await searched(retrieval, termsOf(request.task), filter, request.limit);
    return { rows: packed(rows), warnings };
  }
  const related = (await relatedDocuments(knowledge, caller, primary)).slice(0, request.limit);
  const terms = termsOf(`${primary.id} ${request.task}`);
  const without = related.map(({ path }) => path);
  const more = request.limit - related.length;
  const { rows, warnings } = await searched(retrieval, terms, { ...filter, without }, more);
  return { rows: [...related, ...rows], warnings };
}

async function relatedDocuments(
  { database }: KnowledgeContext,
  caller: Caller,
  subject: Subject,
): Promise<RawEvidence[]> {
  if (!mayRead(caller, activePath(subject))) return [];
  const active = await findActive(database.read, caller.ownerId, subject);
  if (active.kind !== 'present') return [];
  const listed = active.loaded.capsule.continuity.related_documents ?? [];
  const paths = new Set(listed.map(({ path }) => keyOf(path).key).filter((key) => key !== undefined));
  const texts = await textsOfFiles(database.read, caller.ownerId, readable(caller, [...paths]));
  return Array.from(texts, ([path, text]) => {
    const { type } = attributesOf(path, text);
    return { path, type, snippet: snippetOf(text, RAW_SNIPPET_CHARS), score: 0 };
  });
}

const readable = (caller: Caller, paths: readonly string[]): string[] =>
  paths.filter((path) => mayRead(caller, path));

/** From the index, or from the files themselves where there is none that works. */
async function searched(
  { knowledge, caller, now }: Retrieval,
  terms: readonly string[],
  filter: Filter,
  limit: number,
): Promise<Gathered> {
  const { ownerId } = caller;
  const { database, terms: memory } = knowledge;
  const scan = async (): Promise<RawEvidence[]> =>
    (await rawScan(database.read, ownerId, terms, filter)).slice(0, limit);
  try {
    const asking = await memory.open(database.read, ownerId);
    if (!asking) return { rows: await scan(), warnings: ['continuity_index_missing'] };
    const wanted = { filter, limit, sort: 'relevance' } as const;
    const rows = limit === 0 ? [] : await foundFiles(knowledge, asking, terms, wanted);
    const { generated_at: generatedAt } = asking.index;
    const isStale = now - (generatedAt ?? now) > INDEX_FRESH_SECONDS * 1000;
    return { rows, warnings: isStale ? [STALE] : [] };
  } catch (error) {
    knowledge.onError(error);
    return { rows: await scan(), warnings: [STALE] };
  }
}

const STALE = 'continuity_index_stale';

/** Summaries first, then messages, then the rest, each as they were. */
const packed = (rows: readonly RawEvidence[]): RawEvidence[] =>
  rows.toSorted((a, b) => groupOf(a) - groupOf(b));

function groupOf({ path }: RawEvidence): number {
  if (path.startsWith('memory/summaries/')) return 0;
  return path.startsWith('messages/') ? 1 : 2;
}

const QUESTIONS = { among: 10, most: 5 } as const;

/** Beginnings of texts that ask something. */
export const openQuestions = (rows: readonly RawEvidence[]): string[] =>
  rows
    .slice(0, QUESTIONS.among)
    .map(({ snippet }) => snippet)
    .filter((snippet) => snippet.includes('?'))
    .slice(0, QUESTIONS.most);
