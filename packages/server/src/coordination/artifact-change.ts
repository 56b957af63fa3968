import { COMMIT_MESSAGE_CHARS } from '@parley/protocol/coordination/limits';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { writerOf } from '../continuity/access.ts';
import { cut } from '../continuity/answers.ts';
import { latestCommit } from '../continuity/artifacts/commit-id.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import { type ArtifactKind, type Artifacts, pathOf } from './artifact.ts';
import { filingOf } from './artifact-filing.ts';
import { type FilingRow, insertArtifact, updateArtifact } from './artifact-store.ts';
import { type CoordinationContext, writeOne } from './coordination-context.ts';
import { requireFound } from './visibility.ts';

/** Who changes what, and how the journal names it. */
export interface ArtifactChange<Kind extends ArtifactKind> {
  readonly kind: Kind;
  readonly id: string;
  readonly does: 'create' | 'open' | 'consume' | 'update' | 'resolve';
  readonly caller: Caller;
  /** Undefined or blank: the journal says the usual of it. */
  readonly message?: string | null | undefined;
}

interface NewArtifact<Artifact> {
  readonly artifact: Artifact;
  /** That tells the recipient of it. */
  readonly messageId?: string | undefined;
}

/** Puts a new artifact in place. */
export async function createArtifact<Kind extends ArtifactKind>(
  context: CoordinationContext,
  change: ArtifactChange<Kind>,
  make: (tx: Tx, at: string) => Promise<NewArtifact<Artifacts[Kind]>>,
): Promise<object> {
  const { kind, id } = change;
  const { ownerId } = change.caller;
  return await writeArtifact(context, change, async (tx, now) => {
    const { artifact, messageId = null } = await make(tx, isoSeconds(now));
    const { columns, parties } = filingOf[kind](artifact);
    const document = JSON.stringify(artifact);
    await context.room(tx, ownerId);
    const row = { owner_id: ownerId, kind, artifact_id: id, document, message_id: messageId, ...columns };
    await insertArtifact(tx, row, parties);
    const latest = await record(context, tx, change, document, now);
    return { ok: true, [kind]: artifact, path: pathOf(kind, id), created: true, latest_commit: latest };
  });
}

interface NextArtifact<Artifact> {
  readonly artifact: Artifact;
  readonly columns: Partial<Pick<FilingRow, 'status' | 'sorted_at'>>;
}

/** Makes the next version of one that is there. `next` refuses, or says what it is; undefined: what is there already. */
export async function changeArtifact<Kind extends ArtifactKind>(
  context: CoordinationContext,
  change: ArtifactChange<Kind>,
  next: (present: Artifacts[Kind], at: string) => NextArtifact<Artifacts[Kind]> | undefined,
  then?: (tx: Tx, row: FilingRow, artifact: Artifacts[Kind]) => Promise<void>,
): Promise<object> {
  const { kind, id } = change;
  const { ownerId } = change.caller;
  const path = pathOf(kind, id);
  return await writeArtifact(context, change, async (tx, now) => {
    const { row, artifact: present } = await requireFound(tx, ownerId, kind, id);
    const wanted = next(present, isoSeconds(now));
    if (!wanted) {
      const latest = await latestCommit(tx, ownerId);
      return { ok: true, [kind]: present, path, updated: false, latest_commit: latest };
    }
    const { artifact, columns } = wanted;
    const document = JSON.stringify(artifact);
    await updateArtifact(tx, row, { document, version: row.version + 1, ...columns });
    const latest = await record(context, tx, change, document, now);
    await then?.(tx, row, artifact);
    return { ok: true, [kind]: artifact, path, updated: true, latest_commit: latest };
  });
}

function writeArtifact<T>(
  context: CoordinationContext,
  { kind, does, caller, id }: ArtifactChange<ArtifactKind>,
  write: (tx: Tx, now: number) => Promise<T>,
): Promise<T> {
  const now = context.clock.now();
  return writeOne(context, `${kind}_${does}`, `${caller.ownerId}:${id}`, (tx) => write(tx, now));
}

/** Returns the name of the owner's memory as it is then. */
async function record(
  { journal }: CoordinationContext,
  tx: Tx,
  { kind, id, does, caller, message }: ArtifactChange<ArtifactKind>,
  document: string,
  now: number,
): Promise<string> {
  const usual = `coordination: ${kind} ${does} ${id}`;
  return await journal.record(tx, {
    ...writerOf(caller),
    kind,
    slug: id,
    operation: `coordination.${kind}_${does}`,
    path: pathOf(kind, id),
    document,
    now,
    commitMessage: message == null || message.trim() === '' ? cut(usual, COMMIT_MESSAGE_CHARS) : message,
  });
}
