import type { Capsule } from '@parley/protocol/continuity/capsule';
import { isObject } from '@parley/protocol/json';
import type { Reader } from '../../platform/database/database.ts';
import { findActiveHead } from '../artifacts/artifact-store.ts';
import { sha256 } from '../capsule/canonical.ts';
import { refuseNotNewer } from '../rules/clock-rule.ts';
import { agrees, openPayload } from '../retention/cold-storage.ts';
import { openStub } from '../retention/cold-stub.ts';
import { fallbackCapsule, openArchive } from '../capsule/envelopes.ts';
import { DetailError } from '../../wire/memory/errors.ts';
import { requireInstant } from '../capsule/instant.ts';
import type { SubjectName } from '../capsule/subject.ts';
import { decode, isLoaded, type LoadedCapsule, loadCapsule } from '../capsule/load-capsule.ts';
import type { ArchiveName, Located } from '../artifacts/paths.ts';
import { placeOf } from './plant.ts';
import { relatedDocumentsFault } from '../rules/related-documents.ts';
import { requireValid } from '../rules/rules.ts';
import { invalidText, isOf } from '../artifacts/stored-capsule.ts';

/** What the write path would say to a document at a path; undefined when it would take it. */
export async function documentFault(
  reader: Reader,
  ownerId: string,
  path: string,
  bytes: Uint8Array,
): Promise<string | undefined> {
  try {
    const place = placeOf(path);
    if (!place) return 'not the path of a continuity document';
    if (place.state === 'plan') return planFault(bytes);
    if ('name' in place) return coldFault(place, bytes);
    if (place.state === 'fallback') return snapshotFault(place, bytes);
    const loaded = loadCapsule(bytes);
    if (!isLoaded(loaded)) return invalidText(loaded);
    if (!isOf(loaded.capsule, place)) return 'Continuity capsule subject does not match requested subject';
    requireGood(loaded, valueOf(bytes));
    await requireNewer(reader, ownerId, place, loaded.capsule, sha256(bytes));
    return undefined;
  } catch (error) {
    if (error instanceof DetailError) return error.message;
    throw error;
  }
}

function snapshotFault(subject: SubjectName, bytes: Uint8Array): string | undefined {
  const loaded = fallbackCapsule(bytes);
  if (typeof loaded === 'string') return loaded;
  if (!isOf(loaded.capsule, subject)) {
    return 'Continuity fallback snapshot subject does not match requested subject';
  }
  requireGood(loaded, enclosedIn(bytes));
  return undefined;
}

/** Of an archive, or of a part of its cold copy. */
function coldFault(place: Extract<Located, { name: ArchiveName }>, bytes: Uint8Array): string | undefined {
  if (place.state === 'payload') return faultText(openPayload(bytes, place.name));
  if (place.state === 'stub') return faultText(openStub(Buffer.from(bytes).toString(), place.archive));
  const envelope = openArchive(bytes);
  if (typeof envelope === 'string') return envelope;
  if (!agrees(envelope, place.name)) return 'Continuity archive envelope does not match its path';
  requireGood(envelope.loaded, enclosedIn(bytes));
  return undefined;
}

const faultText = (opened: object | string): string | undefined =>
  typeof opened === 'string' ? opened : undefined;

/** Reading leaves out related documents that are not right; writing refuses them. */
function requireGood({ capsule, warnings }: LoadedCapsule, sent: unknown): void {
  const [warning] = warnings;
  if (warning !== undefined) throw new DetailError(400, relatedDocumentsFault(documentsOf(sent)) ?? warning);
  requireValid(capsule, { explain: false, size: true });
}

function valueOf(bytes: Uint8Array): unknown {
  const decoded = decode(bytes);
  return 'value' in decoded ? decoded.value : undefined;
}

/** The capsule of a snapshot or an archive, as it was written. */
function enclosedIn(bytes: Uint8Array): unknown {
  const value = valueOf(bytes);
  return isObject(value) ? value.capsule : undefined;
}

const documentsOf = (capsule: unknown): unknown =>
  isObject(capsule) && isObject(capsule.continuity) ? capsule.continuity.related_documents : undefined;

/** An older state does not replace a newer one, unless its bytes are already there. */
async function requireNewer(
  reader: Reader,
  ownerId: string,
  subject: SubjectName,
  capsule: Capsule,
  hash: string,
): Promise<void> {
  const row = await findActiveHead(reader, ownerId, subject);
  if (row?.readable !== 1 || row.sha256 === hash) return;
  const updated = requireInstant(capsule.updated_at, 'updated_at');
  refuseNotNewer(updated, row.updated_key);
}

function planFault(bytes: Uint8Array): string | undefined {
  const decoded = decode(bytes);
  if (!('value' in decoded)) return `Invalid continuity plan JSON: ${decoded.reason}`;
  return isObject(decoded.value) ? undefined : 'Invalid continuity plan JSON: not an object';
}
