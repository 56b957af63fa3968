import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { Reader } from '../../platform/database/database.ts';
import { contentOf, findArchive, findCold } from '../artifacts/artifact-store.ts';
import { parseStub, stubText } from '../retention/cold-stub.ts';
import * as paths from '../artifacts/paths.ts';
import { fallbackText, openArchive, storedFallbackText } from '../capsule/envelopes.ts';
import { contentBefore, type RevisionRow } from '../artifacts/revision-store.ts';
import type { FileChange } from './fast-import.ts';
import { packed } from '../retention/cold-storage.ts';

/**
 * What a revision did to the files.
 *
 * A snapshot is a file only while it stands alone. Beside an active capsule it says the same once more, which every
 * commit would repeat; the store keeps one text for both then, too.
 */
export async function filesOf(reader: Reader, revision: RevisionRow): Promise<FileChange[]> {
  const removed = removedBy(revision);
  const written = await writtenBy(reader, revision, removed);
  const kept = written.filter(({ content }) => content !== undefined);
  const names = new Set(kept.map(({ path }) => path));
  return [...removed.filter((path) => !names.has(path)).map((path) => ({ path })), ...kept];
}

/** Written by `insertRevision`. A write makes the active capsule its own snapshot again. */
function removedBy({ removed_paths: listed, operation, path, kind, slug }: RevisionRow): string[] {
  const removed = listed === null ? [] : (JSON.parse(listed) as string[]);
  const isWrite = operation !== 'import' && paths.locate(path)?.state === 'active' && removed.length === 0;
  return isWrite ? [paths.fallbackPath({ kind: kind as SubjectKind, slug })] : removed;
}

async function writtenBy(
  reader: Reader,
  revision: RevisionRow,
  removed: readonly string[],
): Promise<FileChange[]> {
  const { operation, path } = revision;
  if (operation === 'delete') return await leftBehind(reader, revision, removed);
  if (operation === 'cold_store') return await packedAway(reader, revision, removed[0] ?? '');
  if (operation === 'cold_rehydrate') {
    return [{ path, ...(await archiveContent(reader, revision, path)) }];
  }
  // The parts of a cold copy that was imported.
  if (revision.document === null && revision.raw === null) return await coldPart(reader, revision);
  const content = contentOf(revision);
  const envelope = operation === 'archive' ? openArchive(content) : undefined;
  if (typeof envelope !== 'object') return [{ path, content }];
  const snapshot = paths.fallbackPath({ kind: revision.kind as SubjectKind, slug: revision.slug });
  return [
    { path, content },
    { path: snapshot, content: fallbackText(envelope.loaded.capsule) },
  ];
}

/** A capsule deleted without its snapshot leaves that behind. */
async function leftBehind(
  reader: Reader,
  revision: RevisionRow,
  removed: readonly string[],
): Promise<FileChange[]> {
  const subject = { kind: revision.kind as SubjectKind, slug: revision.slug };
  const [active, fallback] = [paths.activePath(subject), paths.fallbackPath(subject)];
  if (!removed.includes(active) || removed.includes(fallback)) return [];
  const before = await contentBefore(reader, revision, active);
  const content = before && storedFallbackText(before);
  return content === undefined ? [] : [{ path: fallback, content }];
}

/** As it stands now if it is of that time, else made again from the archive: both come out the same, byte for byte. */
async function packedAway(reader: Reader, revision: RevisionRow, archive: string): Promise<FileChange[]> {
  const name = paths.archiveNameOf(archive);
  if (!name) return [];
  const coldStoredAt = isoSeconds(revision.recorded_at);
  const row = await findCold(reader, revision.owner_id, name);
  if (row?.raw && row.stub !== null && storedAt(row.stub) === coldStoredAt) {
    return coldPair(archive, row.raw, row.stub);
  }
  const { content } = await archiveContent(reader, revision, archive);
  const envelope = content === undefined ? 'missing' : openArchive(content);
  if (content === undefined || typeof envelope === 'string') return [];
  const { archivedAt, loaded } = envelope;
  const { capsule } = loaded;
  const now = revision.recorded_at;
  const stub = stubText({ capsule, path: archive, archivedAt, coldStoredAt, now });
  return coldPair(archive, packed(content), stub);
}

const coldPair = (archive: string, payload: Uint8Array, stub: string): FileChange[] => [
  { path: paths.coldPayloadPath(archive), content: payload },
  { path: paths.coldStubPath(archive), content: stub },
];

function storedAt(stub: string): string | undefined {
  const values = parseStub(stub);
  return typeof values === 'string' ? undefined : values.get('cold_stored_at');
}

async function archiveContent(
  reader: Reader,
  revision: RevisionRow,
  archive: string,
): Promise<{ content?: string | Uint8Array }> {
  const name = paths.archiveNameOf(archive);
  const row =
    (name && (await findArchive(reader, revision.owner_id, name))) ??
    (await contentBefore(reader, revision, archive));
  return row ? { content: contentOf(row) } : {};
}

/** Its bytes are in its row alone. */
async function coldPart(reader: Reader, revision: RevisionRow): Promise<FileChange[]> {
  const { path } = revision;
  const place = paths.locate(path);
  if (place?.state !== 'payload' && place?.state !== 'stub') return [];
  const row = await findCold(reader, revision.owner_id, place.name);
  const content = place.state === 'payload' ? row?.raw : row?.stub;
  return content == null ? [] : [{ path, content }];
}
