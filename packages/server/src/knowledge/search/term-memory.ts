import { cutChars } from '../../platform/chars.ts';
import type { Reader } from '../../platform/database/database.ts';
import { keepNewest } from '../../platform/newest.ts';
import { findIndex, type IndexRow } from '../index/index-store.ts';
import { filesWith } from '../index/posting-store.ts';
import { wordsWith } from '../index/vocabulary-store.ts';
import { KNOWN_CHARS } from '../index/words.ts';
import { isIndexable } from '../documents/path.ts';
import { textOfFile } from '../documents/save-file.ts';
import { type ChangedFile, ChangeLog } from './change-log.ts';
import { FileSet } from '../index/file-set.ts';

/** Which files have a term, as far as the index knows it: a very long one is known by its beginning. */
export interface TermFiles {
  readonly inPath: FileSet;
  readonly anywhere: FileSet;
}

interface Kept extends TermFiles {
  /** Every change up to this one is in it. */
  readonly asOf: number;
}

/** Where terms are asked for. */
export interface Asking {
  readonly reader: Reader;
  readonly index: IndexRow;
  /** What changed until now. */
  readonly log: ChangeLog;
}

const MOST_BYTES = 16 * 1024 * 1024;
/** A term that no file has takes some room as well. */
const BYTES_EACH = 400;
const MOST_OWNERS = 64;
/** What changed since is looked at itself, as long as it is no more than that. */
const FEW_CHANGES = 20;
const FEW_BYTES = 256 * 1024;

/*
 * Terms that are looked for are looked for again, and those that many files have cost the most to find. So it is kept which files
 * have a term:
 *
 *   not known, or too much changed since ──► asked of the full-text index, and kept
 *   known ──► what changed since is looked through, the rest is as it was
 *
 * Each search asks the store what changed: it is right as well where other processes write to the same store.
 */
export class TermMemory {
  /** The one that was not used for the longest time comes first. */
  readonly #kept = new Map<string, Kept>();
  readonly #logs = new Map<string, ChangeLog>();
  #bytes = 0;

  /** An owner's index as it is now; undefined where there is none to search in. */
  async open(reader: Reader, ownerId: string): Promise<Asking | undefined> {
    const known = this.#logs.get(ownerId);
    const [index, more] = await Promise.all([findIndex(reader, ownerId), known?.more(reader, ownerId)]);
    if (index?.generated_at == null) return undefined;
    const log = await (known && more ? known.upToDate(reader, index, more) : ChangeLog.begin(reader, index));
    keepNewest(this.#logs, ownerId, log, MOST_OWNERS);
    return { reader, index, log };
  }

  /** In the order of the terms. */
  async find(asking: Asking, terms: readonly string[]): Promise<TermFiles[]> {
    const { log } = asking;
    const known = terms.map((term) => cutChars(term, KNOWN_CHARS));
    const missing = known.filter((term) => !this.#isUsable(log, term));
    const asked = await lookUp(asking, missing);
    for (const [at, found] of asked.entries()) this.#keep(log, missing[at] ?? '', found);
    const texts = new ChangedTexts(asking);
    const all: TermFiles[] = [];
    for (const term of known) {
      const kept = this.#kept.get(keyOf(log, term));
      const changes = kept ? (log.changedAfter(kept.asOf) ?? []) : [];
      const now = kept && changes.length > 0 ? await texts.update(kept, term, changes) : kept;
      // One of very many terms may have been forgotten already, for those that came after it.
      all.push(now ? this.#keep(log, term, now) : (asked[missing.indexOf(term)] ?? NOWHERE));
    }
    return all;
  }

  #isUsable(log: ChangeLog, term: string): boolean {
    const kept = this.#kept.get(keyOf(log, term));
    const changes = kept && log.changedAfter(kept.asOf);
    if (!changes || changes.length > FEW_CHANGES) return false;
    return changes.reduce((sum, { size }) => sum + size, 0) <= FEW_BYTES;
  }

  #keep(log: ChangeLog, term: string, { inPath, anywhere }: TermFiles): TermFiles {
    const key = keyOf(log, term);
    this.#forget(key);
    const kept = { inPath, anywhere, asOf: log.latest };
    this.#kept.set(key, kept);
    this.#bytes += bytesOf(kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#forget(oldest);
    }
    return kept;
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#bytes -= bytesOf(kept);
  }
}

const NOWHERE: TermFiles = { inPath: FileSet.empty, anywhere: FileSet.empty };

const keyOf = ({ mark }: ChangeLog, term: string): string => `${mark} ${term}`;

const bytesOf = ({ inPath, anywhere }: TermFiles): number => BYTES_EACH + inPath.bytes + anywhere.bytes;

/** What the index says. */
async function lookUp({ reader, index }: Asking, terms: readonly string[]): Promise<TermFiles[]> {
  if (terms.length === 0) return [];
  const words = await wordsWith(reader, index.id, terms);
  const lists = terms.map((_, at) => words.get(at) ?? []);
  const [inPath, anywhere] = await Promise.all([
    filesWith(reader, 'path_words', lists),
    filesWith(reader, 'words', lists),
  ]);
  return terms.map((_, at) => ({
    inPath: inPath[at] ?? FileSet.empty,
    anywhere: anywhere[at] ?? FileSet.empty,
  }));
}

/** Files that changed, each read once for all terms. */
class ChangedTexts {
  readonly #asking: Asking;
  readonly #read = new Map<number, { path: string; all: string } | undefined>();

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  async update(kept: TermFiles, term: string, changes: readonly ChangedFile[]): Promise<TermFiles> {
    const inPath: number[] = [];
    const anywhere: number[] = [];
    for (const change of changes) {
      const now = await this.#textOf(change);
      if (now?.path.includes(term)) inPath.push(change.id);
      if (now?.all.includes(term)) anywhere.push(change.id);
    }
    const changed = new Set(changes.map(({ id }) => id));
    return {
      inPath: kept.inPath.changed(changed, inPath),
      anywhere: kept.anywhere.changed(changed, anywhere),
    };
  }

  async #textOf({ id, path }: ChangedFile): Promise<{ path: string; all: string } | undefined> {
    if (this.#read.has(id)) return this.#read.get(id);
    const { reader, index } = this.#asking;
    const text = isIndexable(path) ? await textOfFile(reader, index.owner_id, path) : undefined;
    const read =
      text === undefined ? undefined : { path: path.toLowerCase(), all: `${path} ${text}`.toLowerCase() };
    this.#read.set(id, read);
    return read;
  }
}
