import type { OwnerBudget } from '../config/owner-budget.ts';
import type { Tx } from '../platform/database/database.ts';
import { isAway, LockTimeoutError } from '../platform/database/errors.ts';
import { DomainError } from '../platform/http/domain-error.ts';
import { DAY } from '../platform/units.ts';
import type { Platform } from '../platform.ts';
import type { Audit } from './audit.ts';
import { DetailError, structuredError } from '../wire/memory/errors.ts';
import type { RecentCapsules } from './artifacts/recent-capsules.ts';

/** What every operation works with. */
export interface MemoryContext extends Pick<Platform, 'database' | 'clock' | 'events' | 'jobs'> {
  readonly settings: {
    /** Archives older than this may go into cold storage. */
    readonly archiveDays: number;
    readonly revisionsKept: number;
    readonly lockMs: number;
  };
  readonly audit: Audit;
  readonly recent: RecentCapsules;
  readonly documents: OwnerBudget;
  /** Of large ones alone: capsules, reminders and what agents exchange are small. */
  readonly documentBytes: OwnerBudget;
  /** Where failures go that callers are told nothing about. */
  readonly onError: (error: unknown) => void;
}

/** What was archived before this is old enough to be packed away. */
export const archivesStaleBefore = ({ settings }: MemoryContext, now: number): number =>
  now - settings.archiveDays * DAY;

/** One write for one subject, or for one plan: its writers take turns, and none waits for those of another. */
export async function writeSubject<T>(
  memory: MemoryContext,
  operation: string,
  ownerId: string,
  { kind, slug }: { readonly kind: string; readonly slug: string },
  write: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await memory.database.write(async (tx) => {
      await tx.lock(lockName(ownerId, { kind, slug }), memory.settings.lockMs);
      return await write(tx);
    });
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (error instanceof LockTimeoutError) {
      throw structuredError(
        409,
        operation,
        'continuity_source_lock_timeout',
        'Another write to this subject took too long; try again',
      );
    }
    if (isAway(error)) throw error;
    memory.onError(error);
    throw writeFailed(operation);
  }
}

const FAILURE_CODES: Readonly<Record<string, string>> = {
  archive: 'continuity_archive_commit_failed',
  cold_store: 'continuity_cold_store_failed',
  cold_rehydrate: 'continuity_cold_rehydrate_failed',
};

/** The store could not keep it: what was there before still is. */
function writeFailed(operation: string): DetailError {
  const reason = 'the store did not accept the write; nothing was changed';
  if (operation === 'delete') return new DetailError(500, `Continuity delete failed: ${reason}`);
  const code = FAILURE_CODES[operation] ?? 'continuity_persist_commit_failed';
  return structuredError(500, operation, code, reason);
}

/** What the writers of one document take turns by. */
export const lockName = (ownerId: string, { kind, slug }: { kind: string; slug: string }): string =>
  `continuity:${ownerId}:${kind}:${slug}`;
