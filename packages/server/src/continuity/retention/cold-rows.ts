import type { Tx } from '../../platform/database/database.ts';
import { columnText, unreadableFacts } from '../artifacts/artifact.ts';
import { COLD } from '../artifacts/artifact-table.ts';
import { findCold, putArtifact } from '../artifacts/artifact-store.ts';
import { openStub } from './cold-stub.ts';
import type { ArchiveName } from '../artifacts/paths.ts';

/** A cold copy is listed by what its stub says, and only when the stub says it properly. */
export async function putCold(
  tx: Tx,
  ownerId: string,
  name: ArchiveName,
  archive: string,
  parts: { readonly raw?: Uint8Array; readonly stub?: string },
): Promise<void> {
  const stub = parts.stub === undefined ? 'missing' : openStub(parts.stub, archive);
  const subjectId = typeof stub === 'string' ? name.slug : columnText(stub.get('subject_id') ?? name.slug);
  const facts = { ...unreadableFacts(subjectId), readable: Number(typeof stub !== 'string') };
  const kept = parts.stub === undefined ? parts : { ...parts, stub: columnText(parts.stub) };
  await putArtifact(tx, ownerId, { ...name, state: COLD }, facts, kept);
}

export async function plantCold(
  tx: Tx,
  ownerId: string,
  name: ArchiveName,
  archive: string,
  part: 'payload' | 'stub',
  bytes: Uint8Array,
): Promise<void> {
  const present = await findCold(tx, ownerId, name);
  const raw = part === 'payload' ? bytes : present?.raw;
  const stub = part === 'stub' ? columnText(Buffer.from(bytes).toString()) : present?.stub;
  await putCold(tx, ownerId, name, archive, { ...(raw && { raw }), ...(stub != null && { stub }) });
}
