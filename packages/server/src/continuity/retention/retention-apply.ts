import type { Caller } from '../../wire/caller.ts';
import { findArchive, findCold } from '../artifacts/artifact-store.ts';
import { coldRehydrate, coldStore, isColdComplete } from './cold-storage.ts';
import { archivesStaleBefore, type MemoryContext } from '../memory-context.ts';
import { DetailError } from '../../wire/memory/errors.ts';
import { archiveNameOf, coldPayloadPath, coldStubPath } from '../artifacts/paths.ts';
import type { OpsRunRequest } from '@parley/protocol/continuity/beyond-requests';

type Status =
  | 'cold_stored'
  | 'skipped_already_cold'
  | 'skipped_missing'
  | 'skipped_not_stale'
  | 'failed_invalid_archive'
  | 'failed_authorization'
  | 'failed_conflict'
  | 'failed_internal';

interface Result {
  readonly status: Status;
  readonly detail: string | null;
}

/** Packs away what a plan named. Each archive is a matter of its own: one that fails does not hold up the rest. */
async function retentionApply(
  memory: MemoryContext,
  caller: Caller,
  paths: readonly string[],
): Promise<object> {
  const unique = [...new Set(paths)];
  const repeated = [...new Set(paths.filter((path, index) => paths.indexOf(path) !== index))];
  const results = [];
  for (const path of unique) {
    const { status, detail } = await applyOne(memory, caller, path);
    results.push({
      source_archive_path: path,
      ok: !status.startsWith('failed_'),
      status,
      detail,
      cold_storage_path: isCold(status) ? coldPayloadPath(path) : null,
      cold_stub_path: isCold(status) ? coldStubPath(path) : null,
    });
  }
  const failed = results.filter((result) => !result.ok).length;
  const stored = results.filter((result) => result.status === 'cold_stored').length;
  memory.audit(caller, 'retention_apply', { requested: paths.length, cold_stored: stored, failed });
  return {
    ok: failed === 0,
    requested: paths.length,
    unique_requested: unique.length,
    processed: results.length,
    cold_stored: stored,
    failed,
    durable: true,
    results,
    warnings: repeated.map((path) => `duplicate_source_archive_path:${path}`),
  };
}

const isCold = (status: Status): boolean => status === 'cold_stored' || status === 'skipped_already_cold';

async function applyOne(memory: MemoryContext, caller: Caller, path: string): Promise<Result> {
  try {
    return await packAway(memory, caller, path);
  } catch (error) {
    if (error instanceof DetailError) {
      return { status: STATUSES[error.status] ?? 'failed_internal', detail: error.message };
    }
    memory.onError(error);
    return { status: 'failed_internal', detail: 'the store did not answer' };
  }
}

async function packAway(memory: MemoryContext, caller: Caller, path: string): Promise<Result> {
  const name = archiveNameOf(path);
  if (!name) return { status: 'failed_invalid_archive', detail: 'not the path of an archive' };
  const reader = memory.database.read;
  const row = await findArchive(reader, caller.ownerId, name);
  if (!row) {
    const cold = isColdComplete(await findCold(reader, caller.ownerId, name), name, path);
    return { status: cold ? 'skipped_already_cold' : 'skipped_missing', detail: null };
  }
  const { readable, archived_ms: archivedMs } = row;
  const isStale = archivedMs !== null && archivedMs < archivesStaleBefore(memory, memory.clock.now());
  if (readable === 1 && !isStale) {
    return { status: 'skipped_not_stale', detail: null };
  }
  await coldStore(memory, caller, path);
  return { status: 'cold_stored', detail: null };
}

const STATUSES: Readonly<Record<number, Status>> = {
  400: 'failed_invalid_archive',
  403: 'failed_authorization',
  404: 'skipped_missing',
  409: 'failed_conflict',
};

/** The jobs an operator runs on the host. */
export async function runOps(memory: MemoryContext, caller: Caller, request: OpsRunRequest): Promise<object> {
  if (request.job_id === 'continuity_cold_store') {
    return await coldStore(memory, caller, request.arguments.source_archive_path);
  }
  if (request.job_id === 'continuity_retention_apply') {
    return await retentionApply(memory, caller, request.arguments.source_archive_paths);
  }
  const { source_archive_path: archive, cold_stub_path: stub } = request.arguments;
  return await coldRehydrate(memory, caller, stub == null ? { archive: archive ?? '' } : { stub });
}
