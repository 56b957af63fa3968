import type { Tx } from '../../platform/database/database.ts';
import type { Platform } from '../../platform.ts';
import { sha256 } from '../capsule/canonical.ts';
import type { ForeignFolder } from './foreign-folder.ts';
import { documentFault } from './import-check.ts';
import {
  type FolderDocument,
  LARGEST_DOCUMENT,
  lookInto,
  readDocument,
  UnreadableDocument,
} from './import-folder.ts';
import { rememberImport, wasImported } from './import-store.ts';
import { lockPlace, placeOf, plant, type PlantOutcome } from './plant.ts';
import { announce } from '../artifacts/record-change.ts';

export interface ImportOptions extends Pick<Platform, 'database' | 'clock' | 'events'> {
  readonly ownerId: string;
  /** Holds `memory/continuity`, or what others keep. */
  readonly directory: string;
  /** What other modules keep among the memory. */
  readonly others: readonly ForeignFolder[];
  /** Takes bytes as they are, valid or not. */
  readonly raw: boolean;
  /** Leaves out bytes that were imported to the same path before, whatever is there now. */
  readonly once: boolean;
  /** Refuses the transaction of whoever may no longer do this. */
  readonly guard?: (tx: Tx) => Promise<void>;
  readonly peerId: string;
  /** Between two transactions, where another process writes to the same file. */
  readonly pause?: (workMs: number) => Promise<void>;
}

export interface Refusal {
  readonly path: string;
  readonly error: string;
}

export interface ImportReport {
  readonly imported: readonly string[];
  /** Exactly that was there already. */
  readonly unchanged: number;
  /** Imported by an earlier run, or overtaken by an agent before the first. */
  readonly known: number;
  readonly unknown: readonly string[];
  /**
   * Without `raw`, one refusal keeps everything out. Afterwards only a document that an agent has overtaken meanwhile is
   * refused, or one that is no text, and that one alone. With `raw`, only what cannot be read at all.
   */
  readonly refused: readonly Refusal[];
}

interface Checked extends FolderDocument {
  readonly sha256: string;
  readonly size: number;
}

/** Few enough that nobody waits long for the transaction, and that what is in memory at once stays small. */
const DOCUMENTS_AT_ONCE = 32;
const BYTES_AT_ONCE = 2 * LARGEST_DOCUMENT;

/** Undefined when the folder holds no memory. */
export async function importFolder(options: ImportOptions): Promise<ImportReport | undefined> {
  const content = await lookInto(options.directory, options.others);
  if (!content) return undefined;
  const refused: Refusal[] = [];
  const checked: Checked[] = [];
  const counts = { known: 0, unchanged: 0 };
  for (const document of content.documents) {
    const verdict = await check(options, document);
    if ('error' in verdict) refused.push({ path: document.path, error: verdict.error });
    else if (verdict.known) counts.known += 1;
    else checked.push({ ...document, sha256: verdict.sha256, size: verdict.size });
  }
  const { unknown } = content;
  if (refused.length > 0 && !options.raw) return { imported: [], ...counts, unknown, refused };
  const imported: string[] = [];
  for (let at = 0; at < checked.length; ) {
    const begun = options.clock.monotonic();
    const together = checked.slice(at, at + countAtOnce(checked, at));
    at += together.length;
    const outcomes = await take(options, together);
    for (const { path, outcome, error } of outcomes) {
      if (error !== undefined) refused.push({ path, error });
      else if (outcome?.kind === 'planted' || outcome?.kind === 'taken') imported.push(path);
      else if (outcome?.kind === 'known') counts.known += 1;
      else counts.unchanged += 1;
    }
    if (at < checked.length) await options.pause?.(options.clock.monotonic() - begun);
  }
  return { imported, ...counts, unknown, refused };
}

function countAtOnce(checked: readonly Checked[], from: number): number {
  let count = 1;
  let bytes = checked[from]?.size ?? 0;
  while (count < DOCUMENTS_AT_ONCE) {
    bytes += checked[from + count]?.size ?? Number.POSITIVE_INFINITY;
    if (bytes > BYTES_AT_ONCE) break;
    count += 1;
  }
  return count;
}

async function check(
  { database, ownerId, raw, once }: ImportOptions,
  document: FolderDocument,
): Promise<{ known: boolean; sha256: string; size: number } | { error: string }> {
  const { path, foreign } = document;
  const faultOf = async (bytes: Uint8Array): Promise<string | undefined> => {
    // What another module could not store is refused even as it is.
    const read = foreign?.read(path, bytes);
    if (foreign) return typeof read === 'string' ? read : undefined;
    return raw ? undefined : await documentFault(database.read, ownerId, path, bytes);
  };
  try {
    const bytes = await readDocument(document);
    const hash = sha256(bytes);
    const known = once && (await wasImported(database.read, ownerId, path, hash));
    const error = known ? undefined : await faultOf(bytes);
    return error === undefined ? { known, sha256: hash, size: bytes.length } : { error };
  } catch (error) {
    if (error instanceof UnreadableDocument) return { error: error.message };
    throw error;
  }
}

interface Taken {
  readonly path: string;
  readonly outcome?: PlantOutcome | { readonly kind: 'taken' | 'known' };
  readonly error?: string;
}

async function take(options: ImportOptions, documents: readonly Checked[]): Promise<Taken[]> {
  const read: (Checked & { bytes: Buffer })[] = [];
  for (const document of documents) {
    const bytes = await readDocument(document);
    if (sha256(bytes) !== document.sha256) {
      throw new UnreadableDocument(`${document.path} was changed while it was read; import again`);
    }
    read.push({ ...document, bytes });
  }
  return await options.database.write(async (tx) => {
    await options.guard?.(tx);
    const taken: Taken[] = [];
    for (const each of read) taken.push(await takeOne(tx, options, each, each.bytes));
    // Last: who holds the owner's events may not wait for a subject, since the writers of subjects wait for the events.
    for (const { outcome } of taken) {
      if (outcome?.kind === 'planted') await announce(options, tx, outcome.recorded);
    }
    return taken;
  });
}

async function takeOne(
  tx: Tx,
  { ownerId, peerId, raw, once, directory, clock }: ImportOptions,
  { path, sha256: hash, foreign }: Checked,
  bytes: Uint8Array,
): Promise<Taken> {
  const now = clock.now();
  const remember = () => rememberImport(tx, ownerId, { path, sha256: hash, source: directory, now });
  if (foreign) {
    const read = foreign.read(path, bytes);
    if (typeof read === 'string') return { path, error: read };
    const outcome = await read(tx, { ownerId, peerId, now, raw, once });
    if (outcome.kind === 'refused') return { path, error: outcome.error };
    await remember();
    return { path, outcome: { kind: outcome.kind } };
  }
  const place = placeOf(path);
  if (place) await lockPlace(tx, ownerId, place);
  // Asked again where nobody can write in between.
  const error = raw ? undefined : await documentFault(tx, ownerId, path, bytes);
  if (error !== undefined) return { path, error };
  const outcome = await plant(tx, ownerId, path, bytes, { peerId, now, snapshot: !raw });
  await remember();
  return { path, outcome };
}
