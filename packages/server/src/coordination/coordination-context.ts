import type { MemoryErrorCode } from '@parley/protocol/continuity/errors';
import { ARTIFACT_LOCK_MS, COMMIT_MESSAGE_CHARS } from '@parley/protocol/coordination/limits';
import { ADMIN_SCOPE } from '@parley/protocol/identity/scopes';
import { auditIn } from '../continuity/audit.ts';
import { requireRoom } from '../continuity/documents-budget.ts';
import type { MemoryCall } from '../continuity/memory-routes.ts';
import type { ContinuityService } from '../continuity/service.ts';
import type { Messaging } from '../delivery/create-messaging.ts';
import { keyHolders } from '../identity/keys/keys.ts';
import type { IdentityService } from '../identity/service.ts';
import { charsWithin } from '../platform/chars.ts';
import type { Tx } from '../platform/database/database.ts';
import { isUncertain, LockTimeoutError } from '../platform/database/errors.ts';
import { DomainError } from '../platform/http/domain-error.ts';
import { IDLE } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { Caller } from '../wire/caller.ts';
import { MAYBE_DONE } from '../wire/maybe-done.ts';
import { badRequest, DetailError, structuredError } from '../wire/memory/errors.ts';
import { filings } from './artifact-store.ts';
import { handoffRetention } from './handoff-retention.ts';
import { handoffWakes } from './handoff-wakes.ts';

/** What the peers of an owner exchange: all that every operation works with. */
export type CoordinationContext = ReturnType<typeof coordinationContext>;

export function coordinationContext(
  platform: Platform,
  identity: IdentityService,
  { journal, memory }: ContinuityService,
  { mail, settings }: Messaging,
) {
  const { database, clock, random, log, config } = platform;
  const { directory } = identity;
  memory.documents.addRows(filings);
  return {
    ...IDLE,
    database,
    clock,
    random,
    directory,
    journal,
    mail,
    audit: auditIn(log, 'coordination'),
    /** For the agent's own stream. */
    wakes: handoffWakes({ ...platform, directory, spellAgent: settings.spellAgent }),
    /** Whether a handoff also becomes a message to its recipient. */
    sendsHandoffs: config.handoffMessages,
    /** Before one more of anything is kept. */
    room: (tx: Tx, ownerId: string) => requireRoom(memory.documents, tx, ownerId),
    kept: handoffRetention(platform, journal, config.handoffsKeptDays),
    /** The peers that hold a key of the owner. */
    keyHolders: (ownerId: string) => keyHolders(identity, ownerId),
    /** Where failures go that callers are told nothing about. */
    onError: log.failed('coordination_failed'),
  };
}

export type PeerAction<Body = undefined, Query = undefined> = (
  context: CoordinationContext,
  call: MemoryCall<Body, Query>,
) => Promise<object>;

export const isAdmin = ({ scopes }: Caller): boolean => scopes.includes(ADMIN_SCOPE);

export const coded = (status: number, text: string, code: MemoryErrorCode): DetailError =>
  new DetailError(status, text, { code });

/** One write about one thing: its writers take turns, and none waits for those of another. */
export async function writeOne<T>(
  { database, onError }: Pick<CoordinationContext, 'database' | 'onError'>,
  operation: string,
  name: string,
  write: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await database.write(async (tx) => {
      await tx.lock(`coordination:${name}`, ARTIFACT_LOCK_MS);
      return await write(tx);
    });
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (error instanceof LockTimeoutError) {
      const text = 'Another write to this artifact took too long; try again';
      throw structuredError(409, operation, `${operation}_source_lock_timeout`, text);
    }
    onError(error);
    const text = isUncertain(error)
      ? `The database does not answer: ${MAYBE_DONE}`
      : 'The store did not accept the write; nothing was changed';
    throw structuredError(503, operation, `${operation}_lock_infrastructure_unavailable`, text);
  }
}

export function requireCommitMessage(given: string | null | undefined): void {
  requireText('commit_message', given ?? '', COMMIT_MESSAGE_CHARS);
}

/** A bound that is told as a broken rule and not as a breach of the schema. */
export function requireText(name: string, text: string, most: number, least = 0): void {
  if (text.length < least) throw badRequest(`${name} must not be empty`);
  if (!charsWithin(text, most)) throw badRequest(`${name} must have at most ${most} characters`);
}
