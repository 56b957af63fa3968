import type { EvictionReason } from '@parley/protocol/channels/errors';
import { MAX_PAGE_BYTES, MAX_PAGE_EVENTS, PARTICIPANT_ID_BYTES } from '@parley/protocol/channels/limits';
import type { RosterEntry } from '@parley/protocol/channels/types';
import type { HeldSecret } from '../platform/auth/held-secret.ts';
import type { StreamEvent } from '../platform/streams/stream-event.ts';
import { EventBytes } from './event-bytes.ts';

/**
 * One channel in memory.
 *
 *   state    | join            | send, leave      | poll, events     | becomes
 *   ---------+-----------------+------------------+------------------+------------------------------------
 *   awake    | yes             | yes              | yes              | asleep (idle, hibernation on),
 *            |                 |                  |                  | closing (notices on), else gone
 *   asleep   | wakes it        | hibernating      | hibernating      | awake (join), gone (too long, too old)
 *   closing  | gone            | gone             | yes, for members | gone when the notice time is over
 *
 * A channel that is gone is no longer here; for a day its tombstone tells the reason to who has the token.
 */
export interface Channel {
  readonly id: string;
  readonly token: HeldSecret;
  readonly createdAt: number;
  /** Whose live-channel slot this channel takes; released on eviction and on falling asleep. */
  slotOf: string | undefined;
  state: 'awake' | 'asleep' | 'closing';
  /** Reason and time of the announced eviction, or the time it fell asleep. */
  closing: { reason: EvictionReason; at: number } | undefined;
  asleepSince: number;
  lastActivity: number;
  /** Polls and streams waiting here now; while there is one, the channel is not idle. */
  listeners: number;
  log: EventBytes;
  textBytes: number;
  /** How many of the log's events are messages. */
  messages: number;
  members: Map<string, Member>;
  sends: RecentSends;
}

/**
 * A participant who has joined and not left. The first half of the participant id finds them, the whole of it is
 * compared in constant time.
 */
export interface Member {
  readonly handle: string;
  readonly id: HeldSecret;
  readonly name: string;
  readonly skeletons: readonly [letters: string, shapes: string];
  readonly keyFp: string | null;
  lastSeen: number;
  listeners: number;
}

/** An event on its way to those who listen. */
export interface KeptEvent extends StreamEvent {
  readonly json: string;
}

/** First index per (member, client id), oldest first: a retried send finds what it did the first time. */
export type RecentSends = Map<string, { index: number; at: number }>;

export type EventFields =
  | { type: 'join' | 'leave'; from: string }
  | { type: 'message'; from: string; text: string }
  | { type: 'system'; reason: EvictionReason };

/** Appends an event and returns it as logged. */
export function append(channel: Channel, now: number, fields: EventFields): KeptEvent {
  const index = channel.log.length;
  const json = serialise(fields, index, now);
  channel.log.append(json);
  if (fields.type === 'message') {
    channel.textBytes += heldBytes(fields.text);
    channel.messages += 1;
  }
  return { seq: index, prev: index - 1, json };
}

/** `text` comes last, so that a person who looks at the raw answer sees who and when first. */
function serialise(fields: EventFields, index: number, timestamp: number): string {
  if (fields.type !== 'message') return JSON.stringify({ ...fields, index, timestamp });
  const { type, from, text } = fields;
  return JSON.stringify({ type, from, index, timestamp, text });
}

const MAY_BE_ESCAPED = /["\\\p{Cc}\p{Surrogate}]/u;

/** Text counts as it is held, with its escapes: without them, six times the budget could be kept in control characters. */
function heldBytes(text: string): number {
  if (!MAY_BE_ESCAPED.test(text)) return Buffer.byteLength(text);
  return Buffer.byteLength(JSON.stringify(text)) - '""'.length;
}

/** The half of a participant id that may be looked up like any other name. */
export function handleOf(participantId: string): string {
  return participantId.slice(0, PARTICIPANT_ID_BYTES);
}

export function memberBy(channel: Channel, participantId: unknown): Member | undefined {
  if (typeof participantId !== 'string') return undefined;
  const member = channel.members.get(handleOf(participantId));
  return member?.id.matches(participantId) ? member : undefined;
}

export function roster(channel: Channel, now: number): RosterEntry[] {
  return [...channel.members.values()].map((member) => ({
    name: member.name,
    key_fp: member.keyFp,
    last_seen_s: member.listeners > 0 ? 0 : Math.floor((now - member.lastSeen) / 1000),
  }));
}

/** Where a page from `since` ends: at most 500 events or about 1 MiB, at least one event. */
export function pageEnd({ log }: Channel, since: number): number {
  let end = since;
  for (let bytes = 0; end < log.length && end - since < MAX_PAGE_EVENTS; end++) {
    bytes += log.sizeOf(end);
    if (bytes > MAX_PAGE_BYTES && end > since) break;
  }
  return end;
}

/** The bytes of a poll answer; identical for all who wait at the same cursor, so they are put together once for them. */
export function pollBody(events: readonly Buffer[], cursor: number, present: readonly RosterEntry[]): Buffer {
  const tail = `],"cursor":${cursor},"roster":${JSON.stringify(present)}}`;
  return Buffer.concat([MESSAGES, ...events, Buffer.from(tail)]);
}

const MESSAGES = Buffer.from('{"messages":[');

export function emptied(channel: Channel): void {
  channel.log = new EventBytes();
  channel.textBytes = 0;
  channel.messages = 0;
  channel.members = new Map();
  channel.sends = new Map();
}
