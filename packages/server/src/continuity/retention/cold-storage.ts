import { gunzipSync, gzipSync } from 'node:zlib';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { Caller } from '../../wire/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { requireRead, requireWrite, writerOf } from '../access.ts';
import { factsOf } from '../artifacts/artifact.ts';
import { ARCHIVED, COLD } from '../artifacts/artifact-table.ts';
import * as store from '../artifacts/artifact-store.ts';
import { canonicalCapsule, sha256 } from '../capsule/canonical.ts';
import { putCold } from './cold-rows.ts';
import { openStub, stubText } from './cold-stub.ts';
import { latestCommit } from '../artifacts/commit-id.ts';
import { type MemoryContext, writeSubject } from '../memory-context.ts';
import { type ArchiveEnvelope, archiveText, openArchive } from '../capsule/envelopes.ts';
import { badRequest, conflict, notFound } from '../../wire/memory/errors.ts';
import { compactSeconds, instantOrUndefined } from '../capsule/instant.ts';
import * as paths from '../artifacts/paths.ts';
import { type MemoryChange, recordChange } from '../artifacts/record-change.ts';
import { isOf } from '../artifacts/stored-capsule.ts';

/** An archive is a small document: what unpacks to more than this is none. */
const LARGEST_ARCHIVE = 1024 * 1024;
const NO_ARCHIVE = 'Continuity archive envelope not found';

/** Packs an archive away, leaving a readable stub; a run that was cut short is finished or begun again. */
export async function coldStore(memory: MemoryContext, caller: Caller, path: string): Promise<object> {
  const name = requireArchiveName(path);
  const payloadPath = paths.coldPayloadPath(path);
  const stubPath = paths.coldStubPath(path);
  requireRead(caller, path);
  for (const each of [path, payloadPath, stubPath]) requireWrite(caller, each);
  const now = memory.clock.now();
  const answer = await writeSubject(memory, 'cold_store', caller.ownerId, name, async (tx) => {
    const row = await store.findArchive(tx, caller.ownerId, name);
    if (!row) return await alreadyCold(tx, caller.ownerId, name, path);
    const content = store.contentOf(row);
    const { archivedAt, loaded } = requireEnvelope(content, name);
    const coldStoredAt = isoSeconds(now);
    const stub = stubText({ capsule: loaded.capsule, path, archivedAt, coldStoredAt, now });
    await store.removeArtifact(tx, caller.ownerId, { ...name, state: ARCHIVED });
    await putCold(tx, caller.ownerId, name, path, { raw: packed(content), stub });
    const commit = await recordMove(memory, tx, caller, name, {
      operation: 'cold_store',
      path: payloadPath,
      removedPaths: [path],
      subjectId: loaded.capsule.subject_id,
      now,
    });
    return { coldStoredAt, committed: [payloadPath, stubPath, path], commit, recoveryWarnings: [] };
  });
  memory.audit(caller, 'cold_store', { path });
  return {
    ok: true,
    artifact_state: 'cold',
    source_archive_path: path,
    cold_storage_path: payloadPath,
    cold_stub_path: stubPath,
    cold_stored_at: answer.coldStoredAt,
    committed_files: answer.committed,
    durable: true,
    latest_commit: answer.commit,
    warnings: [],
    recovery_warnings: answer.recoveryWarnings,
  };
}

/** Unpacks a cold copy into the archive it was. */
export async function coldRehydrate(
  memory: MemoryContext,
  caller: Caller,
  source: { readonly archive: string } | { readonly stub: string },
): Promise<object> {
  if ('stub' in source && !paths.isStubPath(source.stub)) {
    throw badRequest('cold_stub_path must be under memory/continuity/cold/index/');
  }
  const path = 'stub' in source ? paths.archiveOfStub(source.stub) : source.archive;
  const name = requireArchiveName(path, 'Continuity cold stub not found');
  const payloadPath = paths.coldPayloadPath(path);
  const stubPath = paths.coldStubPath(path);
  requireRead(caller, stubPath);
  for (const each of [path, payloadPath, stubPath]) requireWrite(caller, each);
  const now = memory.clock.now();
  const commit = await writeSubject(memory, 'cold_rehydrate', caller.ownerId, name, async (tx) => {
    const { envelope, document } = requireCold(await store.findCold(tx, caller.ownerId, name), name, path);
    if (await store.findArchive(tx, caller.ownerId, name))
      throw conflict('Continuity archive envelope already exists');
    const { capsule } = envelope.loaded;
    const text = envelope.legacy ? archiveText(envelope, canonicalCapsule(capsule)) : document;
    const facts = factsOf(capsule, sha256(text), { archivedAt: envelope.archivedAt });
    const key = { ...name, state: ARCHIVED };
    const archivedMs = instantOrUndefined(envelope.archivedAt)?.floorMs ?? now;
    await store.putArtifact(tx, caller.ownerId, key, facts, { document: text, archived_ms: archivedMs });
    await store.removeArtifact(tx, caller.ownerId, { ...name, state: COLD });
    return await recordMove(memory, tx, caller, name, {
      operation: 'cold_rehydrate',
      path,
      removedPaths: [payloadPath, stubPath],
      subjectId: capsule.subject_id,
      now,
    });
  });
  memory.audit(caller, 'cold_rehydrate', { path });
  return {
    ok: true,
    artifact_state: 'archived',
    source_archive_path: path,
    restored_archive_path: path,
    cold_storage_path: payloadPath,
    cold_stub_path: stubPath,
    rehydrated_at: isoSeconds(now),
    committed_files: [path, payloadPath, stubPath],
    durable: true,
    latest_commit: commit,
    warnings: [],
    recovery_warnings: [],
  };
}

function requireArchiveName(path: string, absent = NO_ARCHIVE): paths.ArchiveName {
  if (!paths.isArchivePath(path))
    throw badRequest('source_archive_path must be under memory/continuity/archive/');
  const name = paths.archiveNameOf(path);
  if (!name) throw notFound(absent);
  return name;
}

/** What is said of the archive and what its name says must be the same. */
function requireEnvelope(content: string | Uint8Array, name: paths.ArchiveName): ArchiveEnvelope {
  const envelope = openArchive(content);
  if (typeof envelope === 'string') throw badRequest(envelope);
  if (!agrees(envelope, name)) throw badRequest('Continuity archive envelope does not match its path');
  return envelope;
}

/** Whether an archive says of itself what its name says. */
export function agrees({ archivedAt, loaded }: ArchiveEnvelope, name: paths.ArchiveName): boolean {
  const at = instantOrUndefined(archivedAt);
  return at !== undefined && compactSeconds(at.floorMs) === name.stamp && isOf(loaded.capsule, name);
}

/** Both files there and in order: an earlier run did its work and was cut off before it could say so. */
async function alreadyCold(tx: Tx, ownerId: string, name: paths.ArchiveName, path: string) {
  const cold = await store.findCold(tx, ownerId, name);
  if (!isColdComplete(cold, name, path)) throw notFound(NO_ARCHIVE);
  const stub = openStub(cold.stub ?? '', path);
  const coldStoredAt = typeof stub === 'string' ? '' : (stub.get('cold_stored_at') ?? '');
  const commit = await latestCommit(tx, ownerId);
  return { coldStoredAt, committed: [], commit, recoveryWarnings: ['continuity_cold_store_crash_recovery'] };
}

export const isColdComplete = (
  cold: store.ColdRow | undefined,
  name: paths.ArchiveName,
  path: string,
): cold is store.ColdRow => cold !== undefined && typeof opened(cold, name, path) !== 'string';

function requireCold(cold: store.ColdRow | undefined, name: paths.ArchiveName, path: string) {
  if (!cold || cold.stub === null) throw notFound('Continuity cold stub not found');
  if (cold.raw === null) throw notFound('Continuity cold payload not found');
  const result = opened(cold, name, path);
  if (typeof result === 'string') throw badRequest(result);
  return result;
}

function opened(cold: store.ColdRow, name: paths.ArchiveName, path: string) {
  const stub = openStub(cold.stub ?? '', path);
  return typeof stub === 'string' ? stub : openPayload(cold.raw ?? new Uint8Array(), name);
}

/** The archive inside a cold payload, or why there is none. */
export function openPayload(payload: Uint8Array, name: paths.ArchiveName) {
  const bytes = unpacked(payload);
  if (typeof bytes === 'string') return `Invalid continuity cold payload: ${bytes}`;
  const envelope = openArchive(bytes);
  if (typeof envelope === 'string') return `Invalid continuity cold payload: ${envelope}`;
  if (!agrees(envelope, name)) return 'Continuity cold payload does not match its path';
  return { envelope, document: bytes.toString() };
}

/** The same bytes for the same archive, always: no name, no time. Exports pack anew, and rely on it. */
export const packed = (bytes: string | Uint8Array): Buffer => gzipSync(bytes, { level: 9 });

function unpacked(bytes: Uint8Array): Buffer | string {
  try {
    return gunzipSync(bytes, { maxOutputLength: LARGEST_ARCHIVE });
  } catch {
    return 'not a gzip file of an archive';
  }
}

/** What moved holds the same capsule as before, so no revision of it has one of its own. */
async function recordMove(
  memory: MemoryContext,
  tx: Tx,
  caller: Caller,
  { kind, slug }: paths.ArchiveName,
  move: Pick<MemoryChange, 'operation' | 'path' | 'removedPaths' | 'subjectId' | 'now'>,
): Promise<string> {
  const commitMessage = `continuity: ${move.operation} ${move.path}`;
  const change = { ...writerOf(caller), kind, slug, commitMessage, ...move };
  const { commit } = await recordChange(memory, tx, change);
  return commit;
}
