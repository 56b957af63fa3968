import type { MemoryErrorCode } from '@parley/protocol/continuity/errors';
import { ARTIFACT_LOCK_MS, COMMIT_MESSAGE_CHARS } from '@parley/protocol/coordination/limits';
import { ADMIN_SCOPE } from '@parley/protocol/identity/scopes';
import type { Agents } from '../identity/agents/agents.ts';
import type { Audit } from '../continuity/audit.ts';
import { cut } from '../continuity/answers.ts';
import type { Journal } from '../continuity/journal.ts';
import type { HouseMail } from '../delivery/messages/house-mail.ts';
import { charsWithin } from '../platform/chars.ts';
import type { Tx } from '../platform/database/database.ts';
import { LockTimeoutError } from '../platform/database/errors.ts';
import { DomainError } from '../platform/http/domain-error.ts';
import type { Platform } from '../platform.ts';
import type { Caller } from '../wire/caller.ts';
import { badRequest, DetailError, structuredError } from '../wire/memory/errors.ts';
import type { HandoffRetention } from './handoff-retention.ts';
import type { HandoffWakes } from './handoff-wakes.ts';

/** What every operation works with. */
export interface CoordinationContext extends Pick<Platform, 'database' | 'clock' | 'random'> {
  readonly directory: Agents;
  readonly journal: Journal;
  readonly audit: Audit;
  readonly mail: HouseMail;
  readonly wakes: HandoffWakes;
  /** Whether a handoff also becomes a message to its recipient. */
  readonly sendsHandoffs: boolean;
  /** Before one more of anything is kept. */
  readonly room: (tx: Tx, ownerId: string) => Promise<void>;
  readonly kept: HandoffRetention;
  /** The peers that hold a key of the owner. */
  readonly keyHolders: (ownerId: string) => Promise<ReadonlySet<string>>;
  /** Where failures go that callers are told nothing about. */
  readonly onError: (error: unknown) => void;
}

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
    const text = 'The store did not accept the write; nothing was changed';
    throw structuredError(503, operation, `${operation}_lock_infrastructure_unavailable`, text);
  }
}

/** What the journal says of a change, unless the caller says it. */
export function commitMessage(given: string | null | undefined, usual: string): string {
  return given == null || given.trim() === '' ? cut(usual, COMMIT_MESSAGE_CHARS) : given;
}

export function requireCommitMessage(given: string | null | undefined): void {
  requireText('commit_message', given ?? '', COMMIT_MESSAGE_CHARS);
}

/** A bound that is told as a broken rule and not as a breach of the schema. */
export function requireText(name: string, text: string, most: number, least = 0): void {
  if (text.length < least) throw badRequest(`${name} must not be empty`);
  if (!charsWithin(text, most)) throw badRequest(`${name} must have at most ${most} characters`);
}
