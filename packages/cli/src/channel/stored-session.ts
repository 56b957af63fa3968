import { isObject } from '@parley/protocol/json';
import type { InboxMemory } from '@parley/sdk/channels/listening/inbox';
import type { SessionState } from '@parley/sdk/channels/session';

/** What does not change while a session lives, and who we are. */
export type StoredSession = Omit<SessionState, 'cursor' | 'chain' | 'memory'>;

/** How far the listener has read. */
export interface ReadProgress {
  cursor: number;
  /** The hello was sent, so a later run need not. */
  greeted: boolean;
  memory?: InboxMemory | undefined;
}

// The files are ours and private; this guards against half-written or older ones, not against an attacker.

export function isStoredSession(value: unknown): value is StoredSession {
  return (
    isObject(value) &&
    ['server', 'channelId', 'token', 'key', 'participantId', 'name'].every(
      (key) => typeof value[key] === 'string',
    )
  );
}

export function isReadProgress(value: unknown): value is ReadProgress {
  return isObject(value) && typeof value['cursor'] === 'number' && typeof value['greeted'] === 'boolean';
}
