import { DOCUMENT_BYTES } from '@parley/protocol/knowledge/limits';
import {
  lastOfFile,
  recordExtension,
  type RecordedFile,
  type FileRecord,
} from '../../continuity/artifacts/record-file.ts';
import { charsOf } from '../../platform/chars.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DetailError } from '../../wire/memory/errors.ts';
import { indexSegment } from '../index/indexing.ts';
import { MOST_SEGMENTS } from '../index/posting-store.ts';
import { mergedTags, SNIPPET_CHARS } from './attributes.ts';
import { changeFile } from './file-store.ts';
import { isIndexable } from './path.ts';
import type { FilePlace, Replaced } from './place-store.ts';

type Extending = Pick<FileRecord, 'ownerId' | 'path' | 'operation' | 'now' | 'peerId' | 'commitMessage'>;

/**
 * Adds a line to a file without reading the rest of it: size, tags and words are those it had and those of the line, and its
 * beginning stays its beginning. The text alone is copied whole, within the store, since a revision holds all of a document; how
 * large that can be is bounded. Undefined where all of the text has to be looked at: while it is short, where it is kept as bytes,
 * and every so often, so that its words come together again.
 */
export async function extendFile(
  tx: Tx,
  { replaced, index }: FilePlace,
  line: string,
  write: Extending,
): Promise<RecordedFile | undefined> {
  if (!replaced || !beginsTheSame(replaced) || replaced.segments >= MOST_SEGMENTS) return undefined;
  const { ownerId, path, now, peerId } = write;
  const last = await lastOfFile(tx, replaced.revision_id);
  if (last === undefined) return undefined;
  const more = last === '\n' ? line : `\n${line}`;
  const size = replaced.size + Buffer.byteLength(more);
  requireSmall(path, size);
  const recorded = await recordExtension(tx, ownerId, more, { ...write, replaces: replaced.revision_id });
  const segment = replaced.segments + 1;
  const isIndexed = index !== undefined && isIndexable(path);
  await changeFile(tx, replaced.id, {
    revision: recorded.number,
    revision_id: recorded.id,
    modified_at: now,
    peer_id: peerId,
    segments: isIndexed ? segment : replaced.segments,
    size,
    tags: mergedTags(replaced.tags, line),
  });
  if (isIndexed) await indexSegment(tx, index, { id: replaced.id, segment, text: line });
  return recorded;
}

export function requireSmall(path: string, bytes: number): void {
  if (bytes <= DOCUMENT_BYTES) return;
  throw new DetailError(413, `Document too large: ${path} would exceed ${DOCUMENT_BYTES} bytes`);
}

const CUT = '...';

/** Whether its snippet was cut, and so is the same whatever follows. */
const beginsTheSame = ({ snippet }: Replaced): boolean =>
  snippet.endsWith(CUT) && charsOf(snippet) === SNIPPET_CHARS + CUT.length;
