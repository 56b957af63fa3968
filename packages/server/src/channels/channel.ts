import type { EvictionReason } from '@parley/protocol/channels/errors';
import { MAX_PAGE_BYTES, MAX_PAGE_EVENTS } from '@parley/protocol/channels/limits';
import type { RosterEntry } from '@parley/protocol/channels/types';
import type { StreamEvent } from '../platform/streams/stream-event.ts';

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
  readonly tokenHash: string;
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
  log: LoggedEvent[];
  textBytes: number;
  members: Map<string, Member>;
  sends: RecentSends;
}

/** A participant who has joined and not left, found by the hash of the participant id. */
export interface Member {
  readonly idHash: string;
  readonly name: string;
  readonly skeletons: readonly [letters: string, shapes: string];
  readonly keyFp: string | null;
  lastSeen: number;
  listeners: number;
}

/** An event, serialised once for everyone who will ever read it. */
export interface LoggedEvent extends StreamEvent {
  readonly json: string;
  /** Length of its text. */
  readonly size: number;
}

/** First index per (member, client id), oldest first: a retried send finds what it did the first time. */
export type RecentSends = Map<string, { index: number; at: number }>;

export type EventFields =
  | { type: 'join' | 'leave'; from: string }
  | { type: 'message'; from: string; text: string }
  | { type: 'system'; reason: EvictionReason };

/** Appends an event and returns it as logged. */
export function append(channel: Channel, now: number, fields: EventFields): LoggedEvent {
  const event = serialise(fields, channel.log.length, now);
  channel.log.push(event);
  if (fields.type === 'message') channel.textBytes += Buffer.byteLength(fields.text);
  return event;
}

function serialise(fields: EventFields, index: number, timestamp: number): LoggedEvent {
  const place = { seq: index, prev: index - 1, size: fields.type === 'message' ? fields.text.length : 0 };
  if (fields.type === 'system') return { ...place, json: JSON.stringify({ ...fields, index, timestamp }) };
  const { type, from } = fields;
  const head = `{"type":"${type}","from":${JSON.stringify(from)},"index":${index},"timestamp":${timestamp}`;
  return {
    ...place,
    json: type === 'message' ? `${head},"text":${JSON.stringify(fields.text)}}` : `${head}}`,
  };
}

export function roster(channel: Channel, now: number): RosterEntry[] {
  return [...channel.members.values()].map((member) => ({
    name: member.name,
    key_fp: member.keyFp,
    last_seen_s: member.listeners > 0 ? 0 : Math.floor((now - member.lastSeen) / 1000),
  }));
}

/** One page of the log: at most 500 events or about 1 MiB of text, at least one event. */
export function page(channel: Channel, since: number): { events: LoggedEvent[]; cursor: number } {
  const { log } = channel;
  let end = since;
  for (let text = 0; end < log.length && end - since < MAX_PAGE_EVENTS; end++) {
    text += log[end]?.size ?? 0;
    if (text > MAX_PAGE_BYTES && end > since) break;
  }
  return { events: log.slice(since, end), cursor: end };
}

/** The JSON text of a poll answer; identical for all who wait at the same cursor, so it is built once for them. */
export function pollBody(
  events: readonly LoggedEvent[],
  cursor: number,
  present: readonly RosterEntry[],
): string {
  const messages = events.map((event) => event.json).join(',');
  return `{"messages":[${messages}],"cursor":${cursor},"roster":${JSON.stringify(present)}}`;
}

export function emptied(channel: Channel): void {
  channel.log = [];
  channel.textBytes = 0;
  channel.members = new Map();
  channel.sends = new Map();
}
