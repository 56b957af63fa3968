import type { ListRequest } from '@parley/protocol/continuity/requests';
import { z } from 'zod';
import type { Caller } from '../../wire/caller.ts';
import {
  anchorKindTerm,
  anchorTerm,
  anchorValueTerm,
  columnText,
  keywordTerm,
  scopeTerm,
} from '../artifacts/artifact.ts';
import { ACTIVE, ARCHIVED, COLD, FALLBACK } from '../artifacts/artifact-table.ts';
import type { MemoryOperation } from '../call.ts';
import { compareChars } from '../../platform/chars.ts';
import { archivesStaleBefore, type MemoryContext } from '../memory-context.ts';
import { listRow, pathOf, type RowContext, rowSortKey } from './list-row.ts';
import { listBySalience, type ListedRow, type ListFilter, listInOrder, type Position } from './list-store.ts';
import { readableOnly } from './readable-paths.ts';
import { lifecycleRank, salienceMetadata } from './salience.ts';
import { badRequest } from '../../wire/memory/errors.ts';

export const list: MemoryOperation<ListRequest> = async (memory, { caller, body }) => {
  const now = memory.clock.now();
  const bySalience = body.sort === 'salience';
  const before = bySalience && body.cursor ? placeIn(body.cursor, COUNT) : 0;
  const rows = await matching(memory, caller, body, before, now);
  const shown = rows.slice(0, body.limit);
  const context = rowContext(memory, now);
  const last = shown.at(-1);
  memory.audit(caller, 'list', { count: shown.length });
  return {
    ok: true,
    count: shown.length,
    capsules: shown.map((row, index) => ({
      ...listRow(row, context),
      ...(bySalience && salienceOf(row, before + index, now)),
    })),
    // On a later page there was one before.
    unique_match: hasDescriptorFilter(body) && rows.length === 1 && !body.cursor,
    ...(bySalience && {
      salience_metadata: salienceMetadata(
        shown.filter((row) => row.state === ACTIVE).map((row) => rowSortKey(row, now)),
      ),
    }),
    ...(body.cursor != null &&
      last &&
      rows.length > shown.length && {
        next_cursor: cursorText(bySalience ? before + shown.length : rowPlace(last)),
      }),
  };
};

export const rowContext = (memory: MemoryContext, now: number): RowContext => ({
  now,
  archivesStaleBefore: archivesStaleBefore(memory, now),
});

/** At least one more than is shown, if there is one: a match is unique only among all. `before` are on earlier pages. */
async function matching(
  memory: MemoryContext,
  caller: Caller,
  body: ListRequest,
  before: number,
  now: number,
): Promise<ListedRow[]> {
  const reader = memory.database.read;
  const wanted = before + body.limit + 1;
  const after = body.cursor && body.sort !== 'salience' ? placeIn(body.cursor, ROW) : undefined;
  const inOrder = async (states: readonly number[]): Promise<ListedRow[]> => {
    const found = await Promise.all(
      states.map(async (state) => {
        const filter = filterFor(caller, body, state);
        if (!filter) return [];
        const from = after && positionOf(after, state);
        const own = await listInOrder(reader, filter, wanted, from);
        if (state !== FALLBACK) return own;
        // Most fallbacks are the active capsule under another name.
        const shared = { ...filter, state: ACTIVE, sharedOnly: true };
        const rows = await listInOrder(reader, shared, wanted, from);
        return [...own, ...rows.map((row) => ({ ...row, state }))];
      }),
    );
    return found.flat().toSorted(compareRows);
  };
  const others = [
    ...(body.include_fallback ? [FALLBACK] : []),
    ...(body.include_archived ? [ARCHIVED] : []),
    ...(body.include_cold ? [COLD] : []),
  ];
  if (body.sort !== 'salience') return await inOrder([ACTIVE, ...others]);
  const filter = filterFor(caller, body, ACTIVE);
  const ranked = filter ? await listBySalience(reader, filter, now, wanted) : [];
  return [...ranked, ...(await inOrder(others))].slice(before);
}

function compareRows(a: ListedRow, b: ListedRow): number {
  return (
    compareChars(a.kind, b.kind) ||
    compareChars(a.subject_id, b.subject_id) ||
    a.state - b.state ||
    compareChars(pathOf(a), pathOf(b))
  );
}

/** Undefined when nothing of that state can match. */
export function filterFor(caller: Caller, body: Partial<ListRequest>, state: number): ListFilter | undefined {
  const terms = termsOf(body);
  if (state === COLD && hasDescriptorFilter(body)) return undefined;
  const only = readableOnly(caller, state);
  if (only?.length === 0) return undefined;
  return {
    ownerId: caller.ownerId,
    state,
    kind: body.subject_kind ?? undefined,
    lifecycle: body.lifecycle == null ? undefined : lifecycleRank(body.lifecycle),
    label: body.label_exact == null ? undefined : columnText(body.label_exact),
    terms,
    only,
  };
}

function termsOf(body: Partial<ListRequest>): string[] {
  const { scope_anchor: scope, keyword, anchor_kind: kind, anchor_value: value } = body;
  const folded = kind?.trim().toLowerCase();
  const anchor =
    folded !== undefined && value != null
      ? [anchorTerm(folded, value)]
      : [
          ...(folded === undefined ? [] : [anchorKindTerm(folded)]),
          ...(value == null ? [] : [anchorValueTerm(value)]),
        ];
  return [
    ...(scope == null ? [] : [scopeTerm(scope.trim().toLowerCase())]),
    ...(keyword == null ? [] : [keywordTerm(keyword.trim().toLowerCase())]),
    ...anchor,
  ];
}

const hasDescriptorFilter = (body: Partial<ListRequest>): boolean =>
  termsOf(body).length > 0 || body.lifecycle != null || body.label_exact != null;

function salienceOf(row: ListedRow, index: number, now: number): object {
  if (row.state !== ACTIVE) return { salience_rank: null, salience: null };
  return { salience_rank: index + 1, salience: { rank: index, sort_key: rowSortKey(row, now) } };
}

/** Opaque to callers. */
const cursorText = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function placeIn<Place>(cursor: string, shape: z.ZodType<Place>): Place {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw badRequest('Invalid cursor');
  }
}

/** By salience the order moves with time, so a page is told by how many come before it: at most more than an owner has. */
const COUNT = z.int().min(1).max(10_000_000);

/** Else by the last row shown. */
const ROW = z.tuple([z.string(), z.string(), z.number(), z.string(), z.string()]);

const rowPlace = ({ kind, subject_id: id, state, slug, stamp }: ListedRow): z.output<typeof ROW> => [
  kind,
  id,
  state,
  slug,
  stamp,
];

/** Beyond every slug and stamp there can be. */
const LAST = '\uffff';

/** Where a state goes on: rows of a subject stand together, ordered by state. */
function positionOf([kind, subject_id, at, slug, stamp]: z.output<typeof ROW>, state: number): Position {
  if (state === at) return { kind, subject_id, slug, stamp };
  // Earlier states of this subject were shown already, later ones were not.
  return { kind, subject_id, slug: state < at ? LAST : '', stamp: '' };
}
