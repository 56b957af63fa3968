import { peerIdOf } from '../continuity/access.ts';
import { columnText } from '../continuity/artifacts/artifact.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import type { ArtifactKind, Artifacts } from './artifact.ts';
import { pathOf } from './artifact.ts';
import { type ArtifactRow, insertArtifact, type Party, updateArtifact } from './artifact-store.ts';
import { commitMessage, type CoordinationContext } from './coordination-context.ts';

/** Who changes what, when, and how the journal names it. */
export interface ArtifactChange {
  readonly ownerId: string;
  readonly id: string;
  readonly operation: `coordination.${string}`;
  readonly peerId: string;
  readonly now: number;
  readonly message: string;
}

export function changeOf(
  caller: Caller,
  id: string,
  operation: ArtifactChange['operation'],
  now: number,
  given?: string | null,
): ArtifactChange {
  const said = operation.slice('coordination.'.length).replaceAll('_', ' ');
  const message = commitMessage(given, `coordination: ${said} ${id}`);
  return { ownerId: caller.ownerId, id, operation, peerId: peerIdOf(caller), now, message };
}

/** The columns of a new artifact, and who has to do with it. */
export interface NewArtifact {
  readonly version: number;
  readonly status: string | null;
  readonly classification: string | null;
  readonly taskId: string | null;
  readonly threadId: string | null;
  readonly sortedAt: string;
  readonly messageId: string | null;
  readonly parties: readonly Party[];
}

/** Puts a new artifact in place. Returns the name of the owner's memory as it is then. */
export async function putNew<Kind extends ArtifactKind>(
  context: CoordinationContext,
  tx: Tx,
  kind: Kind,
  artifact: Artifacts[Kind],
  of: NewArtifact,
  change: ArtifactChange,
): Promise<string> {
  const row: ArtifactRow = {
    owner_id: change.ownerId,
    kind,
    artifact_id: change.id,
    document: JSON.stringify(artifact),
    version: of.version,
    status: of.status,
    classification: of.classification,
    task_id: linkText(of.taskId),
    thread_id: linkText(of.threadId),
    sorted_at: of.sortedAt,
    message_id: of.messageId,
  };
  await context.room(tx, change.ownerId);
  await insertArtifact(tx, row, of.parties);
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

const linkText = (text: string | null): string | null => (text === null ? null : columnText(text));

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
    operation,
    path: pathOf(kind, id),
    document,
    now,
    peerId,
    commitMessage: message,
  });
}
