import type { HandoffStatus } from '@parley/protocol/coordination/vocabulary';
import { type ExpressionBuilder, sql as raw } from 'kysely';
import { columnText } from '../continuity/artifacts/artifact.ts';
import type { Reader, Tx } from '../platform/database/database.ts';
import { word } from '../platform/database/sql.ts';
import { column, type RowOf, table } from '../platform/database/table.ts';
import { countOf, given, type PageAsk } from '../platform/database/built.ts';
import type { ArtifactKind } from './artifact.ts';

const HANDOFF = word('handoff' satisfies ArtifactKind);
const PENDING = word('pending' satisfies HandoffStatus);
const RECIPIENT = word('recipient' satisfies Role);

export const filings = table('coordination_artifacts', {
  owner_id: column<string>(),
  kind: column<ArtifactKind>(),
  artifact_id: column<string>(),
  /** JSON. */
  document: column<string>(),
  version: column<number>(),
  status: column<string | null>(),
  classification: column<string | null>(),
  task_id: column<string | null>(),
  thread_id: column<string | null>(),
  /** What lists go by: when it was made, or last changed. */
  sorted_at: column<string>(),
  /** That tells the recipient of it. */
  message_id: column<string | null>(),
});

const parties = table('coordination_parties', {
  owner_id: column<string>(),
  kind: column<ArtifactKind>(),
  role: column<Role>(),
  peer_id: column<string>(),
  artifact_id: column<string>(),
});

/** As what a peer has to do with an artifact. */
export type Role = 'sender' | 'recipient' | 'owner' | 'participant' | 'claimant';
export interface Party {
  readonly role: Role;
  readonly peer: string;
}

export type FilingRow = RowOf<typeof filings>;

export async function insertArtifact(tx: Tx, row: FilingRow, concerned: readonly Party[]): Promise<void> {
  await tx.run(filings.insert(row));
  const { owner_id, kind, artifact_id } = row;
  for (const { role, peer } of concerned) {
    await tx.run(parties.insertNew({ owner_id, kind, artifact_id, role, peer_id: peer }));
  }
}

export function findArtifact(
  reader: Reader,
  ownerId: string,
  kind: ArtifactKind,
  id: string,
): Promise<FilingRow | undefined> {
  return reader.get<FilingRow>(filings.select`
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND artifact_id = ${id}`);
}

/** With everyone's part in it, to be put in again. */
export async function dropFiling(
  tx: Tx,
  { owner_id: ownerId, kind, artifact_id: id }: FilingRow,
): Promise<void> {
  await tx.run(filings.delete`WHERE owner_id = ${ownerId} AND kind = ${kind} AND artifact_id = ${id}`);
  await tx.run(parties.delete`WHERE owner_id = ${ownerId} AND kind = ${kind} AND artifact_id = ${id}`);
}

/** Handoffs from before a time that were answered, of all owners, the oldest first. */
export function answeredBefore(reader: Reader, time: string, limit: number): Promise<FilingRow[]> {
  return reader.all<FilingRow>(filings.select`
    WHERE kind = ${HANDOFF} AND sorted_at < ${time} AND status <> ${PENDING}
    ORDER BY sorted_at, artifact_id DESC LIMIT ${limit}`);
}

type Change = Partial<Pick<FilingRow, 'document' | 'version' | 'status' | 'sorted_at'>>;

export async function updateArtifact(tx: Tx, row: FilingRow, change: Change): Promise<void> {
  const { owner_id: ownerId, kind, artifact_id: id } = row;
  await tx.run(filings.update(change)`
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND artifact_id = ${id}`);
}

/** What is undefined is not asked for. */
export interface ArtifactFilter {
  readonly parties: Partial<Record<Role, string | undefined>>;
  readonly equal: Partial<Record<'status' | 'classification' | 'task_id' | 'thread_id', string | undefined>>;
  readonly limit: number;
  readonly offset: number;
}

interface Tables {
  coordination_artifacts: FilingRow;
  coordination_parties: RowOf<typeof parties>;
}

/** The latest first, and how many there are. */
export async function queryArtifacts(
  reader: Reader,
  ownerId: string,
  kind: ArtifactKind,
  filter: ArtifactFilter,
): Promise<{ rows: Pick<FilingRow, 'document'>[]; total: number }> {
  let matching = reader
    .kysely<Tables>()
    .selectFrom('coordination_artifacts')
    .where('owner_id', '=', ownerId)
    .where('kind', '=', kind);
  for (const [role, peer] of Object.entries(given(filter.parties))) {
    const party = { role: role as Role, peer };
    matching = matching.where('artifact_id', 'in', (from) => concerned(from, ownerId, kind, party));
  }
  for (const [name, value] of Object.entries(given(filter.equal)))
    matching = matching.where(raw.ref(name), '=', columnText(value));
  const [rows, total] = await Promise.all([
    matching
      .select('document')
      .orderBy('sorted_at', 'desc')
      .orderBy('artifact_id')
      .limit(filter.limit)
      .offset(filter.offset)
      .execute(),
    countOf(matching),
  ]);
  return { rows, total };
}

const concerned = (
  from: ExpressionBuilder<Tables, 'coordination_artifacts'>,
  ownerId: string,
  kind: ArtifactKind,
  { role, peer }: Party,
) =>
  from
    .selectFrom('coordination_parties as p')
    .select('p.artifact_id')
    .where('p.owner_id', '=', ownerId)
    .where('p.kind', '=', kind)
    .where('p.role', '=', role)
    .where('p.peer_id', '=', peer);

const undealt = filings.pick('artifact_id', 'document', 'message_id');
type PendingRow = RowOf<typeof undealt>;

/** Those a peer has not dealt with yet: of many the latest, the oldest of these first. */
export async function pendingHandoffs(
  reader: Reader,
  ownerId: string,
  peer: string,
  limit: number,
): Promise<PendingRow[]> {
  const rows = await reader.all<PendingRow>(undealt.select`
    WHERE owner_id = ${ownerId} AND kind = ${HANDOFF} AND status = ${PENDING} AND artifact_id IN (
      SELECT artifact_id FROM coordination_parties
      WHERE owner_id = ${ownerId} AND kind = ${HANDOFF} AND role = ${RECIPIENT} AND peer_id = ${peer})
    ORDER BY sorted_at DESC, artifact_id DESC LIMIT ${limit}`);
  return rows.toReversed();
}

export interface ArtifactAsk extends PageAsk {
  readonly kind: ArtifactKind;
  readonly status: string | undefined;
}

/** The latest first. */
export async function artifactsLately(reader: Reader, ask: ArtifactAsk): Promise<FilingRow[]> {
  const { ownerId, kind, status, offset, limit } = ask;
  return await filings
    .from(reader)
    .selectAll()
    .where((is) => is.and(given({ kind, owner_id: ownerId, status })))
    .orderBy('sorted_at', 'desc')
    .orderBy('artifact_id')
    .limit(limit)
    .offset(offset)
    .execute();
}
