import type { Reader, Tx } from '../platform/database/database.ts';
import { sql } from '../platform/database/sql.ts';
import {
  ACTIVE,
  ARCHIVED,
  type ArtifactColumns,
  columnsOf,
  columnText,
  FALLBACK,
  unreadableColumns,
} from './artifact.ts';
import {
  artifactTerms,
  contentOf,
  findActiveDocument,
  findArchive,
  findCold,
  findFallbackDocument,
  putArtifact,
  putTerms,
  removeArtifact,
  separateFallback,
} from './artifact-store.ts';
import { sha256 } from './canonical.ts';
import { plantCold } from './cold-rows.ts';
import { fallbackCapsule, openArchive } from './envelopes.ts';
import { instantOrUndefined } from './instant.ts';
import { isLoaded, type LoadedCapsule, loadCapsule, type Unreadable } from './load-capsule.ts';
import { type ArchiveName, type Located, locate, REFRESH_STATE_PATH, RETENTION_STATE_PATH } from './paths.ts';
import { insertRevision, type RevisionDraft } from './revision-store.ts';
import { snapshotText } from './snapshot-text.ts';
import { isOf } from './stored-capsule.ts';
import { lockName } from './desk.ts';

/** `unknown`: the path is not that of an artifact. `unchanged`: exactly this is there already. */
export type PlantOutcome = 'planted' | 'unchanged' | 'unknown';

export interface Planting {
  readonly peerId: string;
  readonly now: number;
  /** An active capsule becomes its own snapshot, as when it had been written. */
  readonly snapshot?: boolean;
}

type Place = Located | { readonly state: 'plan'; readonly slug: string };

const PLANS: ReadonlyMap<string, string> = new Map([
  [REFRESH_STATE_PATH, 'refresh_state'],
  [RETENTION_STATE_PATH, 'retention_state'],
]);

export function placeOf(path: string): Place | undefined {
  const plan = PLANS.get(path);
  return plan === undefined ? locate(path) : { state: 'plan', slug: plan };
}

/** Puts bytes under a path as they are, valid or not: how a folder of documents is taken over. */
export async function plant(
  tx: Tx,
  ownerId: string,
  path: string,
  bytes: Uint8Array,
  planting: Planting,
): Promise<PlantOutcome> {
  const place = placeOf(path);
  if (!place) return 'unknown';
  const { kind, slug } = subjectOfPlace(place);
  await lockPlace(tx, ownerId, place);
  const present = await presentContent(tx, ownerId, place);
  if (present != null && isSame(place, present, bytes)) return 'unchanged';
  const content = contentFrom(bytes);
  const isCold = place.state === 'payload' || place.state === 'stub';
  const { id } = await insertRevision(tx, ownerId, {
    ...importDraft(path, planting),
    kind,
    slug,
    sha256: sha256(bytes),
    // A cold copy holds its own bytes, which are not meant to be kept twice.
    ...(isCold ? {} : content),
  });
  if (place.state === 'payload' || place.state === 'stub') {
    await plantCold(tx, ownerId, place.name, place.archive, place.state, bytes);
  } else if (place.state === 'archived') await plantArchive(tx, ownerId, place.name, content);
  else if ('kind' in place) await plantCapsule(tx, ownerId, place, bytes, content, id, planting);
  return 'planted';
}

/** The writers of one subject take turns, whatever they write. */
export async function lockPlace(tx: Tx, ownerId: string, place: Place): Promise<void> {
  await tx.lock(lockName(ownerId, subjectOfPlace(place)));
}

/** A stub is kept as text. */
const isSame = (place: Place, present: string | Uint8Array, bytes: Uint8Array): boolean =>
  place.state === 'stub'
    ? present === columnText(Buffer.from(bytes).toString())
    : Buffer.from(present).equals(bytes);

function subjectOfPlace(place: Place): { kind: string; slug: string } {
  if (place.state === 'plan') return { kind: 'plan', slug: place.slug };
  return 'name' in place ? place.name : place;
}

const importDraft = (
  path: string,
  { peerId, now }: Planting,
): Pick<RevisionDraft, 'operation' | 'path' | 'recordedAt' | 'peerId' | 'commitMessage'> => ({
  operation: 'import',
  path,
  recordedAt: now,
  peerId,
  commitMessage: `continuity: import ${path}`,
});

/** What lies under a path now. */
async function presentContent(
  reader: Reader,
  ownerId: string,
  place: Place,
): Promise<string | Uint8Array | null | undefined> {
  if (place.state === 'payload' || place.state === 'stub') {
    const cold = await findCold(reader, ownerId, place.name);
    return place.state === 'payload' ? cold?.raw : cold?.stub;
  }
  if (place.state === 'fallback') {
    const row = await findFallbackDocument(reader, ownerId, place);
    return row && (row.own === 1 ? contentOf(row) : snapshotText(row));
  }
  const row = await presentRow(reader, ownerId, place);
  return row && contentOf(row);
}

interface ContentRow {
  readonly document: string | null;
  readonly raw: Uint8Array | null;
}

function presentRow(reader: Reader, ownerId: string, place: Place): Promise<ContentRow | undefined> {
  if (place.state === 'plan') {
    return reader.get<ContentRow>(sql`
      SELECT document, raw FROM continuity_revisions
      WHERE owner_id = ${ownerId} AND kind = 'plan' AND slug = ${place.slug} ORDER BY number DESC LIMIT 1`);
  }
  if ('name' in place) return findArchive(reader, ownerId, place.name);
  return findActiveDocument(reader, ownerId, place);
}

async function plantCapsule(
  tx: Tx,
  ownerId: string,
  place: Extract<Located, { state: 'active' | 'fallback' }>,
  bytes: Uint8Array,
  content: Content,
  revisionId: number,
  { snapshot = false }: Planting,
): Promise<void> {
  const { kind, slug } = place;
  const state = place.state === 'active' ? ACTIVE : FALLBACK;
  const loaded = state === ACTIVE ? loadCapsule(bytes) : fallbackCapsule(bytes);
  const columns = columnsFrom(loaded, place, sha256(bytes));
  const key = { state, kind, slug, stamp: '' };
  await separateFallback(tx, ownerId, place);
  const before = await artifactTerms(tx, ownerId, key);
  if (state === FALLBACK) await putArtifact(tx, ownerId, key, columns, content);
  else {
    const hasSnapshot = snapshot && columns.readable;
    if (hasSnapshot) await removeArtifact(tx, ownerId, { ...key, state: FALLBACK });
    await putArtifact(tx, ownerId, key, columns, { revisionId, hasSnapshot });
  }
  await putTerms(tx, ownerId, key, before, columns.terms);
}

type Content = { readonly document: string } | { readonly raw: Uint8Array };

/** As text where it is one, so that it reads like everything else. */
function contentFrom(bytes: Uint8Array): Content {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString();
  return !text.includes('\0') && Buffer.from(text).equals(buffer) ? { document: text } : { raw: bytes };
}

function columnsFrom(
  loaded: LoadedCapsule | Unreadable | string,
  subject: Pick<ArchiveName, 'kind' | 'slug'>,
  hash: string,
  archivedAt?: string,
): ArtifactColumns {
  if (typeof loaded === 'string' || !isLoaded(loaded) || !isOf(loaded.capsule, subject)) {
    return unreadableColumns(subject.slug);
  }
  return columnsOf(loaded.capsule, hash, { archivedAt });
}

async function plantArchive(tx: Tx, ownerId: string, name: ArchiveName, content: Content): Promise<void> {
  const key = { state: ARCHIVED, kind: name.kind, slug: name.slug, stamp: name.stamp };
  const bytes = 'document' in content ? content.document : content.raw;
  const envelope = openArchive(bytes);
  const loaded = typeof envelope === 'string' ? envelope : envelope.loaded;
  const archivedAt = typeof envelope === 'string' ? undefined : envelope.archivedAt;
  const columns = columnsFrom(loaded, name, sha256(bytes), archivedAt);
  const archivedMs = instantOrUndefined(archivedAt)?.floorMs;
  const before = await artifactTerms(tx, ownerId, key);
  await putArtifact(tx, ownerId, key, columns, {
    ...content,
    ...(archivedMs !== undefined && { archivedMs }),
  });
  await putTerms(tx, ownerId, key, before, columns.terms);
}
