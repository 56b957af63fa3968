import { badRequest } from '../../wire/memory/errors.ts';
import type { ListedRow, Position } from './list-store.ts';

/** Opaque to callers: the place of the last row shown. */
export function cursorText({ kind, subject_id: id, state, slug, stamp }: ListedRow): string {
  return Buffer.from(JSON.stringify([kind, id, state, slug, stamp])).toString('base64url');
}

export interface PagePosition {
  /** Where a state goes on: rows of a subject stand together, ordered by state. */
  for(state: number): Position;
}

/** Beyond every slug and stamp there can be. */
const LAST = '\uffff';

export function positionFrom(cursor: string): PagePosition {
  const parts = partsOf(cursor);
  if (!parts) throw badRequest('Invalid cursor');
  const [kind, subjectId, at, slug, stamp] = parts;
  return {
    for(state) {
      if (state === at) return { kind, subjectId, slug, stamp };
      // Earlier states of this subject were shown already, later ones were not.
      return { kind, subjectId, slug: state < at ? LAST : '', stamp: '' };
    },
  };
}

/** By salience the order moves with time, so a page is told by how many come before it. */
export const placeText = (before: number): string =>
  Buffer.from(JSON.stringify(before)).toString('base64url');

export function placeFrom(cursor: string): number {
  const before = Number(Buffer.from(cursor, 'base64url').toString() || Number.NaN);
  if (!Number.isSafeInteger(before) || before < 1 || before > FARTHEST) throw badRequest('Invalid cursor');
  return before;
}

/** More rows than an owner has. */
const FARTHEST = 10_000_000;

function partsOf(cursor: string): [string, string, number, string, string] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length !== 5) return undefined;
    const [kind, id, state, slug, stamp] = parts as unknown[];
    const texts = [kind, id, slug, stamp].every((part) => typeof part === 'string');
    return texts && typeof state === 'number'
      ? (parts as [string, string, number, string, string])
      : undefined;
  } catch {
    return undefined;
  }
}
