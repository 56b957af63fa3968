import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Reader } from '../../platform/database/database.ts';
import {
  contentOf,
  type DocumentRow,
  findActiveDocument,
  findActiveDocuments,
  findFallbackDocument,
} from './artifact-store.ts';
import { capsuleIn } from '../capsule/envelopes.ts';
import { badRequest, notFound } from '../../wire/memory/errors.ts';
import { isLoaded, type LoadedCapsule, loadCapsule, type Unreadable } from '../capsule/load-capsule.ts';
import { slugOf, type Subject, type SubjectName } from '../capsule/subject.ts';

/** What stands under the active path of a subject. */
export type ActiveCapsule =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly row: DocumentRow; readonly fault: Unreadable }
  | { readonly kind: 'foreign'; readonly row: DocumentRow }
  | { readonly kind: 'present'; readonly row: DocumentRow; readonly loaded: LoadedCapsule };

export async function findActive(reader: Reader, ownerId: string, subject: Subject): Promise<ActiveCapsule> {
  const row = await findActiveDocument(reader, ownerId, subject);
  return row ? loadActive(row, subject) : { kind: 'missing' };
}

/** The same for a few at once. */
export async function findActives(
  reader: Reader,
  ownerId: string,
  subjects: readonly Subject[],
): Promise<ActiveCapsule[]> {
  const [first, ...others] = subjects;
  const rows = first ? await findActiveDocuments(reader, ownerId, [first, ...others]) : [];
  return subjects.map((subject) => {
    const row = rows.find(({ kind, slug }) => kind === subject.kind && slug === subject.slug);
    return row ? loadActive(row, subject) : { kind: 'missing' };
  });
}

export function loadActive(row: DocumentRow, subject: Subject): ActiveCapsule {
  const loaded = loadCapsule(contentOf(row));
  if (!isLoaded(loaded)) return { kind: 'unreadable', row, fault: loaded };
  return isOf(loaded.capsule, subject) ? { kind: 'present', row, loaded } : { kind: 'foreign', row };
}

export const isOf = (capsule: Capsule, { kind, slug }: SubjectName): boolean =>
  capsule.subject_kind === kind && slugOf(capsule.subject_id) === slug;

/** The refusal of operations that take nothing but a good active capsule. */
export function requirePresent(active: ActiveCapsule): Extract<ActiveCapsule, { kind: 'present' }> {
  if (active.kind === 'present') return active;
  if (active.kind === 'missing') throw notFound('Continuity capsule not found');
  if (active.kind === 'foreign') {
    throw badRequest('Continuity capsule subject does not match requested subject');
  }
  throw badRequest(invalidText(active.fault));
}

export function invalidText({ fault, reason }: Unreadable): string {
  return `Invalid continuity capsule${fault === 'json' ? ' JSON' : ''}: ${reason}`;
}

/** The same for operations that change the stored capsule in place, in their own words. */
export function requireChangeable(active: ActiveCapsule): Extract<ActiveCapsule, { kind: 'present' }> {
  if (active.kind === 'present') return active;
  if (active.kind === 'missing') throw notFound('continuity capsule not found');
  const reason = active.kind === 'foreign' ? 'it is about another subject' : active.fault.reason;
  throw badRequest(`stored capsule is invalid: ${reason}`);
}

/** The capsule of the fallback snapshot; undefined when there is none that can be used. */
export async function findFallback(
  reader: Reader,
  ownerId: string,
  subject: Subject,
): Promise<LoadedCapsule | undefined> {
  const row = await findFallbackDocument(reader, ownerId, subject);
  return row && loadFallback(row, subject);
}

export function loadFallback(row: DocumentRow, subject: Subject): LoadedCapsule | undefined {
  const loaded = capsuleIn(row.own === 1 ? 'fallback' : 'active', contentOf(row));
  return loaded && isOf(loaded.capsule, subject) ? loaded : undefined;
}
