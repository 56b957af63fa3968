import type { Reader, Tx } from '../../platform/database/database.ts';
import { columnText, factsOf, unreadableFacts } from '../artifacts/artifact.ts';
import { ARCHIVED, type ArtifactFacts, type ArtifactKey } from '../artifacts/artifact-table.ts';
import * as store from '../artifacts/artifact-store.ts';
import { canonicalCapsule, sha256 } from '../capsule/canonical.ts';
import { plantCold } from '../retention/cold-rows.ts';
import { agrees } from '../retention/cold-storage.ts';
import { lockName } from '../memory-context.ts';
import { capsuleIn, openArchive } from '../capsule/envelopes.ts';
import { instantOrUndefined } from '../capsule/instant.ts';
import type { LoadedCapsule } from '../capsule/load-capsule.ts';
import * as paths from '../artifacts/paths.ts';
import { type RecordedChange, recordRevision } from '../artifacts/record-change.ts';
import { newestPlan, PLAN } from '../artifacts/revision-store.ts';
import { contentAt } from '../read/artifact-text.ts';
import { isOf } from '../artifacts/stored-capsule.ts';

/** `unknown`: the path is not that of an artifact. `unchanged`: exactly this is there already. */
export type PlantOutcome =
  | { readonly kind: 'unknown' | 'unchanged' }
  /** For the caller to announce at the end of its transaction. */
  | { readonly kind: 'planted'; readonly recorded: RecordedChange };

export interface Planting {
  readonly peerId: string;
  readonly now: number;
  /** An active capsule becomes its own snapshot, as when it had been written. */
  readonly snapshot?: boolean;
}

type Place = paths.Located | { readonly state: 'plan'; readonly slug: string };

const PLANS: ReadonlyMap<string, string> = new Map([
  [paths.REFRESH_STATE_PATH, 'refresh_state'],
  [paths.RETENTION_STATE_PATH, 'retention_state'],
]);

export function placeOf(path: string): Place | undefined {
  const plan = PLANS.get(path);
  return plan === undefined ? paths.locate(path) : { state: 'plan', slug: plan };
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
  if (!place) return { kind: 'unknown' };
  const { kind, slug } = subjectOfPlace(place);
  await lockPlace(tx, ownerId, place);
  const present = await presentContent(tx, ownerId, place);
  if (present != null && isSame(place, present, bytes)) return { kind: 'unchanged' };
  const content = contentFrom(bytes);
  const reading = readAt(place, bytes);
  const hash = reading.loaded && capsuleHash(place, bytes, reading.loaded);
  const isCold = place.state === 'payload' || place.state === 'stub';
  const { peerId, now } = planting;
  const recorded = await recordRevision(tx, {
    ownerId,
    kind,
    slug,
    subjectId: place.state === 'plan' ? undefined : (reading.loaded?.capsule.subject_id ?? slug),
    operation: 'import',
    path,
    now,
    peerId,
    commitMessage: `continuity: import ${path}`,
    sha256: hash,
    // A cold copy holds its own bytes, which are not meant to be kept twice.
    ...(isCold ? {} : content),
  });
  if (isCold) await plantCold(tx, ownerId, place.name, place.archive, place.state, bytes);
  else if (place.state !== 'plan') {
    const facts = reading.loaded
      ? factsOf(reading.loaded.capsule, sha256(bytes), { archivedAt: reading.archivedAt })
      : unreadableFacts(slug);
    if ('kind' in place) {
      await plantCapsule(tx, ownerId, place, facts, content, recorded.revision.id, planting);
    } else {
      const key = { state: ARCHIVED, ...place.name };
      const archivedMs = instantOrUndefined(reading.archivedAt)?.floorMs ?? null;
      await putOver(tx, ownerId, key, facts, { ...content, archived_ms: archivedMs });
    }
  }
  return { kind: 'planted', recorded };
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
  if (place.state === 'plan') return { kind: PLAN, slug: place.slug };
  return 'name' in place ? place.name : place;
}

/** What lies under a path now. */
async function presentContent(
  reader: Reader,
  ownerId: string,
  place: Place,
): Promise<string | Uint8Array | null | undefined> {
  if (place.state !== 'plan') return await contentAt(reader, ownerId, place);
  const row = await newestPlan(reader, ownerId, place.slug);
  return row && store.contentOf(row);
}

/** What bytes say at their place: nothing, unless they hold a capsule of its subject. */
interface Reading {
  readonly loaded?: LoadedCapsule;
  readonly archivedAt?: string;
}

function readAt(place: Place, bytes: Uint8Array): Reading {
  if (place.state === 'archived') {
    const envelope = openArchive(bytes);
    if (typeof envelope === 'string') return {};
    const { loaded, archivedAt } = envelope;
    return agrees(envelope, place.name) ? { loaded, archivedAt } : { archivedAt };
  }
  if (place.state !== 'active' && place.state !== 'fallback') return {};
  const loaded = capsuleIn(place.state, bytes);
  return loaded && isOf(loaded.capsule, place) ? { loaded } : {};
}

/** An active capsule is what stands there; around the others stands an envelope. */
const capsuleHash = (place: Place, bytes: Uint8Array, { capsule }: LoadedCapsule): string =>
  sha256(place.state === 'active' ? bytes : canonicalCapsule(capsule));

async function plantCapsule(
  tx: Tx,
  ownerId: string,
  place: Extract<paths.Located, { state: 'active' | 'fallback' }>,
  facts: ArtifactFacts,
  content: Content,
  revisionId: number,
  { snapshot = false }: Planting,
): Promise<void> {
  await store.separateFallback(tx, ownerId, place);
  const fallback = store.fallbackKey(place);
  if (place.state === 'fallback') return await putOver(tx, ownerId, fallback, facts, content);
  const isFallback = snapshot && facts.readable === 1;
  if (isFallback) await store.removeArtifact(tx, ownerId, fallback);
  const pointer = { revision_id: revisionId, has_snapshot: Number(isFallback) };
  await putOver(tx, ownerId, store.activeKey(place), facts, pointer);
}

/** Over whatever is there. */
async function putOver(
  tx: Tx,
  ownerId: string,
  key: ArtifactKey,
  facts: ArtifactFacts,
  content: Parameters<typeof store.putArtifact>[4],
): Promise<void> {
  const before = await store.artifactTerms(tx, ownerId, key);
  await store.putArtifact(tx, ownerId, key, facts, content, before);
}

type Content = { readonly document: string } | { readonly raw: Uint8Array };

/** As text where it is one, so that it reads like everything else. */
function contentFrom(bytes: Uint8Array): Content {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString();
  return !text.includes('\0') && Buffer.from(text).equals(buffer) ? { document: text } : { raw: bytes };
}
