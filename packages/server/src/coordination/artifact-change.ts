import { COMMIT_MESSAGE_CHARS } from '@parley/protocol/coordination/limits';
import { peerIdOf } from '../continuity/access.ts';
import { cut } from '../continuity/answers.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import { type ArtifactKind, type Artifacts, pathOf } from './artifact.ts';
import { filingOf } from './artifact-filing.ts';
import { type ArtifactRow, insertArtifact, updateArtifact } from './artifact-store.ts';
import { type CoordinationContext, writeOne } from './coordination-context.ts';

/** Who changes what, when, and how the journal names it. */
export interface ArtifactChange {
  readonly ownerId: string;
  readonly id: string;
  readonly operation: string;
  readonly peerId: string;
  readonly now: number;
  readonly message: string;
}

/** The journal says the usual of a change, unless the caller says something. */
export function changeOf(
  caller: Caller,
  id: string,
  operation: string,
  now: number,
  given?: string | null,
): ArtifactChange {
  const usual = `coordination: ${operation.replaceAll('_', ' ')} ${id}`;
  const message = given == null || given.trim() === '' ? cut(usual, COMMIT_MESSAGE_CHARS) : given;
  return { ownerId: caller.ownerId, id, operation, peerId: peerIdOf(caller), now, message };
}

export const writeArtifact = <T>(
  context: CoordinationContext,
  { operation, ownerId, id }: ArtifactChange,
  write: (tx: Tx) => Promise<T>,
): Promise<T> => writeOne(context, operation, `${ownerId}:${id}`, write);

/** Puts a new artifact in place. Returns the name of the owner's memory as it is then. */
export async function putNew<Kind extends ArtifactKind>(
  context: CoordinationContext,
  tx: Tx,
  kind: Kind,
  artifact: Artifacts[Kind],
  change: ArtifactChange,
  messageId: string | null = null,
): Promise<string> {
  const { id, columns, parties } = filingOf[kind](artifact);
  const row: ArtifactRow = {
    owner_id: change.ownerId,
    kind,
    artifact_id: id,
    document: JSON.stringify(artifact),
    message_id: messageId,
    ...columns,
  };
  await context.room(tx, change.ownerId);
  await insertArtifact(tx, row, parties);
  return await record(context, tx, row, change);
}

/** Replaces the document of one that is there, and of its columns those that change. */
export async function putChanged(
  context: CoordinationContext,
  tx: Tx,
  row: ArtifactRow,
  artifact: Artifacts[ArtifactKind],
  columns: Partial<Pick<ArtifactRow, 'version' | 'status' | 'sorted_at'>>,
  change: ArtifactChange,
): Promise<string> {
  const document = JSON.stringify(artifact);
  await updateArtifact(tx, row, { document, ...columns });
  return await record(context, tx, { ...row, document }, change);
}

async function record(
  { journal }: CoordinationContext,
  tx: Tx,
  { kind, document }: ArtifactRow,
  { ownerId, id, operation, peerId, now, message }: ArtifactChange,
): Promise<string> {
  return await journal.record(tx, {
    ownerId,
    kind,
    slug: id,
    operation: `coordination.${operation}`,
    path: pathOf(kind, id),
    document,
    now,
    peerId,
    commitMessage: message,
  });
}
