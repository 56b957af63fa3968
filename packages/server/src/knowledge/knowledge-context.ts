import type { Audit } from '../continuity/audit.ts';
import type { MemoryContext } from '../continuity/memory-context.ts';
import type { ContinuityService } from '../continuity/service.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Platform } from '../platform.ts';
import type { TermMemory } from './search/term-memory.ts';

/** What every operation works with. */
export interface KnowledgeContext extends Pick<Platform, 'database' | 'clock'> {
  /** Capsules, and the room that documents of all kinds share. */
  readonly continuity: ContinuityService;
  readonly memory: MemoryContext;
  /** What was searched for lately. */
  readonly terms: TermMemory;
  readonly audit: Audit;
  /** Where failures go that callers are told nothing about. */
  readonly onError: (error: unknown) => void;
}

/**
 * One write to an owner's files. Its writers take turns: the words of the index get their numbers one after another, and
 * what is counted stays true.
 */
export async function writeOwner<T>(
  { database, continuity }: KnowledgeContext,
  ownerId: string,
  write: (tx: Tx) => Promise<T>,
): Promise<T> {
  const made = await database.write(async (tx) => {
    await tx.lock(ownerLock(ownerId));
    return await write(tx);
  });
  continuity.changed(ownerId);
  return made;
}

export const ownerLock = (ownerId: string): string => `knowledge:${ownerId}`;
