import type { Reader, Tx } from '../../platform/database/database.ts';
import type { SqlQuery } from '../../platform/database/sql.ts';
import { headed, type RowOf, type Tail } from '../../platform/database/table.ts';
import type { SubjectName } from '../capsule/subject.ts';
import {
  ACTIVE,
  ARCHIVED,
  type ArtifactContent,
  type ArtifactFacts,
  type ArtifactKey,
  type ArtifactRow,
  artifacts,
  COLD,
  FALLBACK,
  termTable,
} from './artifact-table.ts';

type ArchiveKey = Pick<ArtifactKey, 'kind' | 'slug' | 'stamp'>;

const heads = artifacts.pick(
  'readable',
  'revision_id',
  'sha256',
  'updated_key',
  'terms',
  'has_snapshot',
  'subject_id',
  'summary',
);

/** What is known of the active capsule without its text. */
export type HeadRow = RowOf<typeof heads>;

/** The same with its text, wherever that is kept. */
export interface DocumentRow extends HeadRow, Pick<ArtifactRow, 'document' | 'raw'> {
  /** Stands in its own row as an envelope, and not as a capsule in its revision. */
  readonly own: number;
}

/** Its text, wherever that is kept. */
export const CONTENT = 'COALESCE(a.document, r.document) AS document, COALESCE(a.raw, r.raw) AS raw';
export const WITH_REVISION =
  'FROM continuity_artifacts a LEFT JOIN continuity_revisions r ON r.id = a.revision_id';

const DOCUMENT = `${heads.list('a')}, ${CONTENT},
  CASE WHEN a.revision_id IS NULL THEN 1 ELSE 0 END AS own
  ${WITH_REVISION}`;
const documents = headed(`SELECT ${DOCUMENT}`);

const keyIn =
  (state: number) =>
  ({ kind, slug }: SubjectName): ArtifactKey => ({ state, kind, slug, stamp: '' });
export const activeKey = keyIn(ACTIVE);
export const fallbackKey = keyIn(FALLBACK);

/** Whatever is asked or told of one artifact. */
const at = (tail: Tail, ownerId: string, { state, kind, slug, stamp }: ArtifactKey): SqlQuery =>
  tail`WHERE owner_id = ${ownerId} AND state = ${state} AND kind = ${kind} AND slug = ${slug} AND stamp = ${stamp}`;

type OfSubject<Answer> = (reader: Reader, ownerId: string, subject: SubjectName) => Promise<Answer>;

export const findActiveHead: OfSubject<HeadRow | undefined> = (reader, ownerId, subject) =>
  reader.get(at(heads.select, ownerId, activeKey(subject)));

export const findActiveDocument: OfSubject<DocumentRow | undefined> = (reader, ownerId, { kind, slug }) =>
  reader.get(documents`
    WHERE a.owner_id = ${ownerId} AND a.state = ${ACTIVE} AND a.kind = ${kind} AND a.slug = ${slug} AND a.stamp = ''`);

/** Of a few subjects, each with its name. */
export interface NamedDocumentRow extends DocumentRow, Pick<ArtifactRow, 'kind' | 'slug'> {}

const namedDocuments = headed(`SELECT a.kind, a.slug, ${DOCUMENT}`);

/** Up to four at once, as many as can be asked for. */
export function findActiveDocuments(
  reader: Reader,
  ownerId: string,
  [first, second = first, third = second, fourth = third]: readonly [SubjectName, ...SubjectName[]],
): Promise<NamedDocumentRow[]> {
  return reader.all<NamedDocumentRow>(namedDocuments`
    WHERE a.owner_id = ${ownerId} AND a.state = ${ACTIVE} AND a.stamp = ''
      AND ((a.kind = ${first.kind} AND a.slug = ${first.slug}) OR (a.kind = ${second.kind} AND a.slug = ${second.slug})
        OR (a.kind = ${third.kind} AND a.slug = ${third.slug}) OR (a.kind = ${fourth.kind} AND a.slug = ${fourth.slug}))`);
}

/** Of one subject, each with its state. */
export interface StatedDocumentRow extends DocumentRow, Pick<ArtifactRow, 'state' | 'stamp'> {}

const statedDocuments = headed(`SELECT a.state, a.stamp, ${DOCUMENT}`);

/** All but cold copies, in the order of states, archives by their time. */
export const findSubjectDocuments: OfSubject<StatedDocumentRow[]> = (reader, ownerId, { kind, slug }) =>
  reader.all(statedDocuments`
    WHERE a.owner_id = ${ownerId} AND a.state IN (${ACTIVE}, ${FALLBACK}, ${ARCHIVED}) AND a.kind = ${kind}
      AND a.slug = ${slug} ORDER BY a.state, a.stamp`);

/** The fallback as a row of its own, or the active capsule that is its own fallback. */
export const findFallbackDocument: OfSubject<DocumentRow | undefined> = (reader, ownerId, { kind, slug }) =>
  reader.get(documents`
    WHERE a.owner_id = ${ownerId} AND a.state IN (${ACTIVE}, ${FALLBACK}) AND a.kind = ${kind} AND a.slug = ${slug}
      AND a.stamp = '' AND (a.state = ${FALLBACK} OR a.has_snapshot = 1)
    ORDER BY a.state DESC LIMIT 1`);

const CHANGED: Readonly<Record<string, number>> = { state: FALLBACK, has_snapshot: 0 };
const copyOf = (name: string, columns: readonly string[]): Tail =>
  headed(`INSERT INTO ${name} (${columns.join(', ')})
    SELECT ${columns.map((column) => CHANGED[column] ?? column).join(', ')} FROM ${name}`);
const copyOfActive = copyOf(artifacts.name, artifacts.names);
const copyOfTerms = copyOf(termTable.name, termTable.names);

/** Gives the fallback a row of its own, before the active capsule becomes something else than it. */
export async function separateFallback(tx: Tx, ownerId: string, subject: SubjectName): Promise<void> {
  const { kind, slug } = subject;
  const copied = await tx.run(copyOfActive`
    WHERE owner_id = ${ownerId} AND state = ${ACTIVE} AND kind = ${kind} AND slug = ${slug} AND stamp = ''
      AND has_snapshot = 1`);
  if (copied === 0) return;
  await tx.run(at(copyOfTerms, ownerId, activeKey(subject)));
  await tx.run(at(artifacts.update({ has_snapshot: 0 }), ownerId, activeKey(subject)));
}

/** The bytes of an artifact; a text stands for itself. */
export const contentOf = (row: Pick<ArtifactRow, 'document' | 'raw'>): string | Uint8Array =>
  row.document ?? row.raw ?? '';

const put = artifacts.upsert('owner_id', 'state', 'kind', 'slug', 'stamp');

const NOTHING: ArtifactContent = {
  revision_id: null,
  has_snapshot: 0,
  document: null,
  raw: null,
  stub: null,
  archived_ms: null,
};

/** `termsBefore` are the words that what was there was found by. */
export async function putArtifact(
  tx: Tx,
  ownerId: string,
  key: ArtifactKey,
  facts: ArtifactFacts,
  content: Partial<ArtifactContent>,
  termsBefore = '[]',
): Promise<void> {
  await putTerms(tx, ownerId, key, termsBefore, facts.terms);
  await tx.run(put({ owner_id: ownerId, ...key, ...facts, ...NOTHING, ...content }));
}

/** Changed only where they differ from what they were. */
async function putTerms(
  tx: Tx,
  ownerId: string,
  { state, kind, slug, stamp }: ArtifactKey,
  before: string,
  after: string,
): Promise<void> {
  if (before === after) return;
  const old: readonly string[] = JSON.parse(before);
  const now: readonly string[] = JSON.parse(after);
  for (const term of old) {
    if (now.includes(term)) continue;
    await tx.run(termTable.delete`
      WHERE owner_id = ${ownerId} AND term = ${term} AND state = ${state}
        AND kind = ${kind} AND slug = ${slug} AND stamp = ${stamp}`);
  }
  for (const term of now) {
    if (old.includes(term)) continue;
    await tx.run(termTable.insertNew({ owner_id: ownerId, term, state, kind, slug, stamp }));
  }
}

export async function removeArtifact(tx: Tx, ownerId: string, key: ArtifactKey): Promise<boolean> {
  const removed = await tx.run(at(artifacts.delete, ownerId, key));
  if (removed === 0) return false;
  await tx.run(at(termTable.delete, ownerId, key));
  return true;
}

const terms = artifacts.pick('terms');

export async function artifactTerms(reader: Reader, ownerId: string, key: ArtifactKey): Promise<string> {
  return (await reader.value<string>(at(terms.select, ownerId, key))) ?? '[]';
}

const archives = artifacts.pick('kind', 'slug', 'stamp', 'document', 'raw', 'archived_ms', 'readable');
export type ArchiveRow = RowOf<typeof archives>;

const stamps = artifacts.pick('stamp');

/** When each archive of one subject was made, oldest first. */
export const archiveStamps: OfSubject<string[]> = (reader, ownerId, { kind, slug }) =>
  reader.values(stamps.select`
    WHERE owner_id = ${ownerId} AND state = ${ARCHIVED} AND kind = ${kind} AND slug = ${slug} ORDER BY stamp`);

export function findArchive(
  reader: Reader,
  ownerId: string,
  key: ArchiveKey,
): Promise<ArchiveRow | undefined> {
  return reader.get<ArchiveRow>(at(archives.select, ownerId, { ...key, state: ARCHIVED }));
}

/** A cold copy: the packed archive, and the readable stub of it. Either may be missing after an interrupted run. */
const colds = artifacts.pick('raw', 'stub', 'readable');
export type ColdRow = RowOf<typeof colds>;

export function findCold(reader: Reader, ownerId: string, key: ArchiveKey): Promise<ColdRow | undefined> {
  return reader.get<ColdRow>(at(colds.select, ownerId, { ...key, state: COLD }));
}
