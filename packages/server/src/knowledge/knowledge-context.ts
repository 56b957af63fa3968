import { writerOf } from '../continuity/access.ts';
import { cut } from '../continuity/answers.ts';
import { auditIn } from '../continuity/audit.ts';
import type { ContinuityService } from '../continuity/service.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import type { MemoryCall } from '../continuity/memory-routes.ts';
import { IDLE } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { Caller } from '../wire/caller.ts';
import { bytesOfFiles } from './documents/file-store.ts';
import { files } from './documents/file-table.ts';
import { TermMemory } from './search/term-memory.ts';

/** What every operation works with. */
export type KnowledgeContext = ReturnType<typeof knowledgeContext>;

export function knowledgeContext({ database, clock, log }: Platform, continuity: ContinuityService) {
  const { memory } = continuity;
  memory.documents.addRows(files);
  memory.documentBytes.add(bytesOfFiles);
  return {
    ...IDLE,
    database,
    clock,
    /** Capsules, and the room that documents of all kinds share. */
    continuity,
    memory,
    /** What was searched for lately. */
    terms: new TermMemory(),
    audit: auditIn(log, 'knowledge'),
    /** Where failures go that callers are told nothing about. */
    onError: log.failed('knowledge_failed'),
  };
}

export type FileAction<Body = undefined, Query = undefined> = (
  knowledge: KnowledgeContext,
  call: MemoryCall<Body, Query>,
) => Promise<object>;

/**
 * One write to an owner's files. Its writers take turns: the words of the index get their numbers one after another, and
 * what is counted stays true.
 */
export async function writeOwner<T>(
  { database, continuity }: KnowledgeContext,
  ownerId: string,
  write: (tx: Tx) => Promise<T>,
): Promise<T> {
  const made = await inTurn(database, ownerId, write);
  continuity.changed(ownerId);
  return made;
}

/** The same for what is no change of a file. */
export const inTurn = <T>(database: Database, ownerId: string, write: (tx: Tx) => Promise<T>): Promise<T> =>
  database.write(async (tx) => {
    await tx.lock(ownerLock(ownerId));
    return await write(tx);
  });

const MESSAGE_CHARS = 512;

/** Who changes what, and what that is recorded under: what the caller says of it, or else what was done to what. */
export const changeBy = <Operation extends `${string}.${string}`>(
  { clock }: KnowledgeContext,
  caller: Caller,
  operation: Operation,
  to: string,
  said: string | null | undefined,
) => ({
  ...writerOf(caller),
  operation,
  now: clock.now(),
  commitMessage: said ? cut(said, MESSAGE_CHARS) : `${operation.replace('.', ': ')} ${to}`,
});

export const ownerLock = (ownerId: string): string => `knowledge:${ownerId}`;
