import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { StateReference } from '@parley/protocol/continuity/beyond-requests';
import type { Reader } from '../../platform/database/database.ts';
import type { Caller } from '../../wire/caller.ts';
import { requireRead } from '../access.ts';
import { contentOf, findArchive } from '../artifacts/artifact-store.ts';
import { capsuleIn, openArchive } from '../capsule/envelopes.ts';
import { badRequest, notFound } from '../../wire/memory/errors.ts';
import type { LoadedCapsule } from '../capsule/load-capsule.ts';
import { archiveNameOf, fallbackPath, locate } from '../artifacts/paths.ts';
import { type RevisionRow, revisionByNumber } from '../artifacts/revision-store.ts';
import { findActive, findFallback, isOf, requirePresent } from '../artifacts/stored-capsule.ts';
import type { Subject } from '../capsule/subject.ts';

/** The capsule a revision holds; undefined for one that took something away, or that nobody can read. */
export function revisionCapsule(
  row: Pick<RevisionRow, 'path' | 'document' | 'raw'>,
): LoadedCapsule | undefined {
  if (row.document === null && row.raw === null) return undefined;
  const state = locate(row.path)?.state;
  return capsuleIn(state === 'archived' || state === 'fallback' ? state : 'active', contentOf(row));
}

/** Not every revision was written to the path of the active capsule: an archive stays one by its number, too. */
export async function requireRevision(
  reader: Reader,
  caller: Caller,
  subject: Subject,
  number: number,
): Promise<LoadedCapsule> {
  const row = await revisionByNumber(reader, caller.ownerId, subject, number);
  if (row) requireRead(caller, row.path);
  const loaded = row && revisionCapsule(row);
  if (!loaded || !isOf(loaded.capsule, subject)) throw notFound('Continuity revision not found');
  return loaded;
}

/** One of the states a capsule is or was in. */
export async function requireState(
  reader: Reader,
  caller: Caller,
  subject: Subject,
  reference: StateReference,
): Promise<Capsule> {
  const { ownerId } = caller;
  if (typeof reference === 'number')
    return (await requireRevision(reader, caller, subject, reference)).capsule;
  if (reference === 'active') {
    return requirePresent(await findActive(reader, ownerId, subject)).loaded.capsule;
  }
  if (reference === 'fallback') {
    requireRead(caller, fallbackPath(subject));
    const fallback = await findFallback(reader, ownerId, subject);
    if (!fallback) throw notFound('Continuity fallback snapshot not found');
    return fallback.capsule;
  }
  const name = archiveNameOf(reference);
  if (!name)
    throw badRequest('a state is a revision number, "active", "fallback", or the path of an archive');
  requireRead(caller, reference);
  const isOther = name.kind !== subject.kind || name.slug !== subject.slug;
  const row = isOther ? undefined : await findArchive(reader, ownerId, name);
  if (!row) throw notFound('Continuity archive envelope not found');
  const envelope = openArchive(contentOf(row));
  if (typeof envelope === 'string') throw badRequest(envelope);
  return envelope.loaded.capsule;
}
