import { SLUG_CHARS } from '@parley/protocol/continuity/limits';
import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { badRequest } from '../../wire/memory/errors.ts';

/** Whom a capsule is about. Ids with the same slug are the same subject. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly slug: string;
}

/** As its documents are named. */
export type SubjectName = Pick<Subject, 'kind' | 'slug'>;

/** By its id as it is spelled. */
export type NamedSubject = Pick<Subject, 'kind' | 'id'>;

export function subjectOf(kind: SubjectKind, id: string): Subject {
  return { kind, id, slug: requireSlug(id) };
}

/** Users and peers are not described by a thread, and do not come to an end. */
export const isThreadOrTask = (kind: SubjectKind): boolean => kind === 'thread' || kind === 'task';

/** Empty when nothing of the id can stand in a path. */
export function slugOf(id: string): string {
  const dashed = id
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-');
  return trimDashes(trimDashes(dashed).slice(0, SLUG_CHARS));
}

function requireSlug(id: string): string {
  const slug = slugOf(id);
  if (slug === '') throw badRequest('Normalized subject_id is empty');
  return slug;
}

/** By hand: a pattern for both ends takes time quadratic in a run of dashes. */
function trimDashes(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === '-') from += 1;
  while (to > from && text[to - 1] === '-') to -= 1;
  return text.slice(from, to);
}
