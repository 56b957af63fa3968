import type { Reader } from '../../platform/database/database.ts';
import { type Fixed, sql } from '../../platform/database/sql.ts';
import type { RowOf } from '../../platform/database/table.ts';
import type { IndexRef } from '../index/vocabulary-store.ts';
import { files } from './file-table.ts';

const replaced = files.pick('id', 'revision_id', 'rebuilt_revision', 'segments', 'size', 'tags', 'snippet');
export type Replaced = RowOf<typeof replaced>;

/** What a write has to know before it begins. */
export interface FilePlace {
  /** What stands at the path now. */
  readonly replaced: Replaced | undefined;
  /** A document above the path, as if that were a folder; the topmost. */
  readonly above: string | undefined;
  /** Whether the path itself is a folder. */
  readonly isFolder: boolean;
  /** Undefined while there is none. */
  readonly index: IndexRef | undefined;
}

interface PlaceRow extends Replaced {
  /** Null when nothing does. */
  readonly at: number | null;
  readonly index_id: number | null;
  readonly generation: number;
  readonly above: string | null;
  readonly below: string | null;
}

/** All of it at once: each question of its own would be a way to the database and back, for whoever waits for the owner's turn. */
export async function findPlace(reader: Reader, ownerId: string, path: string): Promise<FilePlace> {
  const row = await reader.get<PlaceRow>(
    reader.dialect === 'sqlite' ? inSqlite(ownerId, path) : inPostgres(ownerId, path),
  );
  if (!row) throw new TypeError('a place was asked for and nothing said');
  return {
    replaced: row.at === null ? undefined : row,
    above: row.above ?? undefined,
    isFolder: row.below !== null,
    index: row.index_id === null ? undefined : { id: row.index_id, generation: row.generation },
  };
}

/** Below the first folder, which is nobody's document. */
function foldersAbove(path: string): string {
  const segments = path.split('/');
  return JSON.stringify(segments.slice(2).map((_, index) => segments.slice(0, index + 2).join('/')));
}

const PLACE: Fixed = { text: `f.id AS at, ${replaced.list('f')}, i.id AS index_id, i.generation` };

/* `0` is the character after the slash. */

const inSqlite = (ownerId: string, path: string) => sql`
  SELECT ${PLACE},
    (SELECT MIN(path) FROM knowledge_files
      WHERE owner_id = ${ownerId} AND path IN (SELECT value FROM json_each(${foldersAbove(path)}))) AS above,
    (SELECT path FROM knowledge_files
      WHERE owner_id = ${ownerId} AND path > ${`${path}/`} AND path < ${`${path}0`} LIMIT 1) AS below
  FROM (SELECT 1 AS one) o
  LEFT JOIN knowledge_files f ON f.owner_id = ${ownerId} AND f.path = ${path}
  LEFT JOIN knowledge_indexes i ON i.owner_id = ${ownerId}`;

const inPostgres = (ownerId: string, path: string) => sql`
  SELECT ${PLACE},
    (SELECT MIN(path) FROM knowledge_files WHERE owner_id = ${ownerId}
      AND path = ANY (ARRAY(SELECT jsonb_array_elements_text(${foldersAbove(path)}::jsonb)))) AS above,
    (SELECT path FROM knowledge_files
      WHERE owner_id = ${ownerId} AND path > ${`${path}/`} AND path < ${`${path}0`} LIMIT 1) AS below
  FROM (SELECT 1 AS one) o
  LEFT JOIN knowledge_files f ON f.owner_id = ${ownerId} AND f.path = ${path}
  LEFT JOIN knowledge_indexes i ON i.owner_id = ${ownerId}`;
