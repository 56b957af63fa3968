import type { OpsRunRequest } from '@parley/protocol/continuity/beyond-requests';
import type { Caller } from '../../wire/caller.ts';
import { coldRehydrate, coldStore } from './cold-storage.ts';
import type { MemoryContext } from '../memory-context.ts';
import { retentionApply } from './retention-apply.ts';

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
