import type {
  CreateAnswer,
  JoinAnswer,
  PollAnswer,
  RosterEntry,
  SendAnswer,
  WireEvent,
} from '@parley/protocol/channels/types';
import { isObject } from '@parley/protocol/json';

// Checked by hand, not with zod: this code is served inside a shell script. Only what the client relies on is checked.

type Body = Record<string, unknown>;

export function isCreateAnswer(body: Body): body is Body & CreateAnswer {
  return isHex(body['channel_id']) && isHex(body['token']) && typeof body['share_message'] === 'string';
}

export function isJoinAnswer(body: Body): body is Body & JoinAnswer {
  return typeof body['participant_id'] === 'string' && isArrayOf(body['participants'], isString);
}

export function isSendAnswer(body: Body): body is Body & SendAnswer {
  return typeof body['index'] === 'number';
}

/** Events and roster entries of a kind we do not know are left out. */
export function pollAnswer(body: Body): PollAnswer | undefined {
  const { messages, cursor, roster } = body;
  if (!Array.isArray(messages) || typeof cursor !== 'number') return undefined;
  return {
    messages: messages.filter(isWireEvent),
    cursor,
    ...(Array.isArray(roster) ? { roster: roster.filter(isRosterEntry) } : {}),
  };
}

export function isWireEvent(event: unknown): event is WireEvent {
  if (!isObject(event) || typeof event['index'] !== 'number') return false;
  switch (event['type']) {
    case 'message':
      return isString(event['from']) && isString(event['text']);
    case 'join':
    case 'leave':
      return isString(event['from']);
    case 'system':
      return isString(event['reason']);
    default:
      return false;
  }
}

function isRosterEntry(entry: unknown): entry is RosterEntry {
  return (
    isObject(entry) &&
    isString(entry['name']) &&
    (entry['key_fp'] === null || isString(entry['key_fp'])) &&
    typeof entry['last_seen_s'] === 'number'
  );
}

function isArrayOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(is);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]+$/i.test(value);
}
