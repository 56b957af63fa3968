import { columnText } from '../../continuity/artifacts/artifact.ts';
import { column, generated, type RowOf, table } from '../../platform/database/table.ts';
import { attributesOf } from './attributes.ts';
import { isIndexable } from './path.ts';

/** Derived from path and text. */
const DERIVED = {
  size: column<number>(),
  indexable: column<number>(),
  type: column<string>(),
  /** In lower case. */
  type_key: column<string>(),
  importance: column<number | null>(),
  /** In thousandths, as it counts in a search. */
  importance_points: column<number>(),
  /** A JSON list. */
  tags: column<string>(),
  snippet: column<string>(),
};

export const files = table('knowledge_files', {
  id: generated<number>(),
  owner_id: column<string>(),
  path: column<string>(),
  revision: column<number>(),
  revision_id: column<number>(),
  modified_at: column<number>(),
  peer_id: column<string>(),
  /** Which revision the last rebuild of the index saw; null for what came after it. */
  rebuilt_revision: column<number | null>(),
  /** How often something was appended since its words were put into the index as a whole. */
  segments: column<number>(),
  ...DERIVED,
});

export const derived = table('knowledge_files', DERIVED);

export type FileRow = RowOf<typeof files>;
export type FileFacts = Pick<FileRow, keyof typeof DERIVED>;

export const POINTS = 1000;
const MOST_POINTS = 2 ** 50;

export function fileFacts(path: string, text: string): FileFacts {
  const attributes = attributesOf(path, text);
  const type = columnText(attributes.type);
  return {
    size: attributes.size,
    indexable: Number(isIndexable(path)),
    type,
    type_key: type.toLowerCase(),
    importance: attributes.importance,
    importance_points: pointsOf(attributes.importance),
    tags: JSON.stringify(attributes.tags),
    snippet: columnText(attributes.snippet),
  };
}

/** Whole, so that both databases add and compare alike. */
function pointsOf(importance: number | null): number {
  const points = Math.round((importance ?? 0) * POINTS);
  return Math.max(-MOST_POINTS, Math.min(points, MOST_POINTS)) + 0;
}
