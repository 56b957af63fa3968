import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { column, generated, type NewRowOf, type RowOf, table } from '../../platform/database/table.ts';
import { activePath } from './paths.ts';
import type { SubjectName } from '../capsule/subject.ts';

export type Operation =
  | 'upsert'
  | 'patch'
  | 'lifecycle'
  | 'revalidate'
  | 'restore'
  | 'archive'
  | 'delete'
  | 'import'
  | 'cold_store'
  | 'cold_rehydrate'
  | 'refresh_plan'
  | 'retention_plan'
  | ForeignOperation;

/** What other modules do to what they keep among the memory, by the name of its route. */
export type ForeignOperation = `${string}.${string}`;

/** The kind of what is planned, beside those of subjects. */
export const PLAN = 'plan';

export const revisions = table('continuity_revisions', {
  id: generated<number>(),
  owner_id: column<string>(),
  /** A kind of subject, `plan`, or what another module keeps. */
  kind: column<string>(),
  slug: column<string>(),
  number: column<number>(),
  operation: column<Operation>(),
  path: column<string>(),
  /** A JSON list. */
  removed_paths: column<string | null>(),
  updated_at: column<string | null>(),
  recorded_at: column<number>(),
  peer_id: column<string>(),
  commit_message: column<string>(),
  reason: column<string | null>(),
  idempotency_key: column<string | null>(),
  sha256: column<string | null>(),
  document: column<string | null>(),
  raw: column<Uint8Array | null>(),
});

export type RevisionRow = RowOf<typeof revisions>;
export type NewRevision = Omit<NewRowOf<typeof revisions>, 'number'>;
export type InsertedRevision = Pick<RevisionRow, 'id' | 'number'>;

/** A subject or a plan. */
export type RevisionsOf = Pick<RevisionRow, 'kind' | 'slug'>;

const insert = revisions.insertWith(
  'number',
  ({ owner_id: ownerId, kind, slug }) => sql`
    COALESCE((SELECT MAX(number) FROM continuity_revisions
      WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug}), 0) + 1`,
  'id',
  'number',
);

/** The writers of one subject take turns, so its numbers have no gaps. */
export async function insertRevision(tx: Tx, revision: NewRevision): Promise<InsertedRevision> {
  const row = await tx.get<InsertedRevision>(insert(revision));
  if (!row) throw new TypeError('an inserted revision returned no row');
  return row;
}

/** Forgets what is older than `oldest`, to be asked only where no artifact points at any of it. */
export function pruneRevisions(
  tx: Tx,
  ownerId: string,
  { kind, slug }: RevisionsOf,
  oldest: number,
  recordedBefore = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  return tx.run(revisions.delete`
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND number < ${oldest}
      AND recorded_at < ${recordedBefore}`);
}

export type Extension = Pick<RevisionRow, 'operation' | 'recorded_at' | 'peer_id' | 'commit_message'>;

/** A revision whose text is that of another with more at its end, which never leaves the store: so its columns are named by hand. */
export async function extendRevision(
  tx: Tx,
  id: number,
  more: string,
  { operation, recorded_at: at, peer_id: peerId, commit_message: message }: Extension,
): Promise<InsertedRevision> {
  const row = await tx.get<InsertedRevision>(sql`
    INSERT INTO continuity_revisions
      (owner_id, kind, slug, number, path, operation, recorded_at, peer_id, commit_message, document)
    SELECT owner_id, kind, slug, number + 1, path, CAST(${operation} AS text), CAST(${at} AS bigint),
      CAST(${peerId} AS text), CAST(${message} AS text), document || ${more}
    FROM continuity_revisions WHERE id = ${id} RETURNING id, number`);
  if (!row) throw new TypeError('a revision that was to be extended is not there');
  return row;
}

/** The last character of a text; undefined for what is kept as bytes. */
export async function lastOfRevision(reader: Reader, id: number): Promise<string | undefined> {
  return await reader.value<string>(
    reader.dialect === 'sqlite'
      ? sql`SELECT substr(document, -1) AS last FROM continuity_revisions WHERE id = ${id}`
      : sql`SELECT "right"(document, 1) AS last FROM continuity_revisions WHERE id = ${id}`,
  );
}

/** Forgets one that nothing points at any more. */
export async function removeRevision(tx: Tx, id: number): Promise<void> {
  await tx.run(revisions.delete`WHERE id = ${id}`);
}

export async function newestRevisionId(reader: Reader, ownerId: string): Promise<number | undefined> {
  return await reader.value<number>(
    sql`SELECT MAX(id) AS id FROM continuity_revisions WHERE owner_id = ${ownerId}`,
  );
}

/** Newest first, of the last `kept`: beyond those stands at most what the oldest of them is compared with. */
export function revisionsBefore(
  reader: Reader,
  ownerId: string,
  { kind, slug }: RevisionsOf,
  { before, kept, limit }: { before: number; kept: number; limit: number },
): Promise<RevisionRow[]> {
  return reader.all<RevisionRow>(revisions.select`
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND number < ${before}
      AND number + ${kept} > (SELECT MAX(number) FROM continuity_revisions
        WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug})
    ORDER BY number DESC LIMIT ${limit}`);
}

/** The newest revision before one that says what the active capsule was: it wrote it, removed it or archived it. */
export function activeBefore(
  reader: Reader,
  ownerId: string,
  subject: SubjectName,
  before: number,
): Promise<RevisionRow | undefined> {
  return reader.get<RevisionRow>(revisions.select`
    WHERE owner_id = ${ownerId} AND kind = ${subject.kind} AND slug = ${subject.slug} AND number < ${before}
      AND (path = ${activePath(subject)} OR operation = ${word('archive' satisfies Operation)})
    ORDER BY number DESC LIMIT 1`);
}

const contents = revisions.pick('document', 'raw');
export type RevisionContent = RowOf<typeof contents>;

export function contentOfRevision(reader: Reader, id: number): Promise<RevisionContent | undefined> {
  return reader.get<RevisionContent>(contents.select`WHERE id = ${id}`);
}

const numbered = revisions.pick('id', 'document', 'raw');

/** Of several revisions, in no order. */
export function contentsOfRevisions(
  reader: Reader,
  ids: readonly number[],
): Promise<RowOf<typeof numbered>[]> {
  return reader.all(
    reader.dialect === 'sqlite'
      ? numbered.select`WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
      : numbered.select`WHERE id = ANY (${`{${ids.join(',')}}`}::bigint[])`,
  );
}

/** The first so many characters of a text, or bytes of what is none. */
export function headOfRevision(
  reader: Reader,
  id: number,
  most: number,
): Promise<RevisionContent | undefined> {
  return reader.get<RevisionContent>(sql`
    SELECT substr(document, 1, ${most}) AS document, substr(raw, 1, ${most}) AS raw
    FROM continuity_revisions WHERE id = ${id}`);
}

/** The newest plan of a kind, as it was kept. */
export function newestPlan(
  reader: Reader,
  ownerId: string,
  slug: string,
): Promise<RevisionContent | undefined> {
  return reader.get<RevisionContent>(contents.select`
    WHERE owner_id = ${ownerId} AND kind = ${word(PLAN)} AND slug = ${slug} ORDER BY number DESC LIMIT 1`);
}

/** What a subject had at a path before one of its revisions, if that is still kept. */
export function contentBefore(
  reader: Reader,
  { owner_id: ownerId, kind, slug, number }: RevisionRow,
  path: string,
): Promise<RevisionContent | undefined> {
  return reader.get<RevisionContent>(contents.select`
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND number < ${number} AND path = ${path}
      AND (document IS NOT NULL OR raw IS NOT NULL)
    ORDER BY number DESC LIMIT 1`);
}

export function revisionByNumber(
  reader: Reader,
  ownerId: string,
  { kind, slug }: RevisionsOf,
  number: number,
): Promise<RevisionRow | undefined> {
  return reader.get<RevisionRow>(revisions.select`
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND number = ${number}`);
}
