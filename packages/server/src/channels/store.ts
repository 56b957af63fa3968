import type { Eventually } from '../platform/eventually.ts';
import { EVICTION_REASONS, type EvictionReason } from '@parley/protocol/channels/errors';
import type { RosterEntry } from '@parley/protocol/channels/types';
import type { KeptEvent } from './channel.ts';
import type { ListedChannel } from './listed-channel.ts';

/**
 * Everything the rules keep about channels. Ciphertext never touches a disk: the memory of one process, or that of a Redis which
 * several nodes share, which is why each method is one atomic step and may answer later. Every method throws `ChannelError` in the
 * order of checks the protocol states.
 */
export interface ChannelStore {
  /** Throws when the address may not create another channel now; spends nothing. */
  admitCreator(address: string): Eventually<void>;
  create(address: string): Eventually<{ channelId: string; token: string }>;
  join(channelId: string, input: JoinInput): Eventually<JoinResult>;
  send(channelId: string, input: SendInput): Eventually<{ index: number; duplicate: boolean }>;
  /** Admits a reader, marks them as seen, and reads from `since` on. Who then says `waiting` misses nothing that comes after. */
  admit(
    channelId: string,
    credentials: ChannelCredentials,
    request: { since: number; waits: Waits },
  ): Eventually<{ reader: ChannelReader; page: Page }>;
  /** What is in the log from `since` on, and who is here; undefined once the channel is gone. */
  read(channelId: string, since: number): Eventually<Page | undefined>;
  /** Up to `limit` events after an index, for streams. */
  events(channelId: string, after: number, limit: number): Eventually<KeptEvent[]>;
  /** Says that `reader` starts (+1) or stops (-1) waiting; who waits is present and keeps the channel alive. */
  waiting(reader: ChannelReader, change: 1 | -1): Eventually<void>;
  leave(channelId: string, credentials: ChannelCredentials): Eventually<void>;
  /** What all channels hold as was last seen, and what happened here. */
  counters(): ChannelCounters;
  /** Looks what they hold now. */
  refresh(): Eventually<void>;
  /** The newest, for whoever runs the server. */
  listing(most: number): Eventually<readonly ListedChannel[]>;
  subscribe(listener: ChannelListener): void;
  start(): Promise<void>;
  close(): Eventually<void>;
}

/** Whether who is admitted goes on to wait for what comes. */
export type Waits = 'never' | 'if_empty' | 'always';

export interface ChannelCredentials {
  token: unknown;
  participantId: unknown;
}

export interface JoinInput {
  token: unknown;
  name: unknown;
  keyFp: unknown;
  resume: unknown;
}

export interface JoinResult {
  participantId: string;
  name: string;
  participants: string[];
  roster: RosterEntry[];
  cursor: number;
  resumed: boolean;
}

export interface SendInput extends ChannelCredentials {
  text: unknown;
  clientId: unknown;
}

/** A member of a channel who was admitted to read. */
export interface ChannelReader {
  readonly channelId: string;
  readonly memberKey: string;
  /** Where several nodes count who waits: what this one is called at its node. */
  readonly waitId?: string;
}

export interface Page {
  /** The events as bytes, with commas between them; nothing when there is none at the cursor. */
  events: readonly Buffer[];
  cursor: number;
  /** Length of the whole log. */
  length: number;
  roster: RosterEntry[];
}

/** Told of every change; the store knows nothing of sockets. */
export interface ChannelListener {
  appended(channelId: string, event: KeptEvent): void;
  /** Called while the log can still be read, so that nobody who waits misses its last events. */
  ended(channelId: string, reason: EvictionReason, secondsAgo: number): void;
  /** A member is gone; told after their leave event. */
  left(channelId: string, memberKey: string, index: number): void;
  slept(channelId: string): void;
  /** Of those that a member has waiting over all nodes this one, which waits here, is one too many. */
  displaced(channelId: string, waitId: string): void;
  /** The channel is no longer there and nobody knows why: the memory it lived in was lost. */
  lost(channelId: string): void;
}

export interface ChannelCounters {
  channels: number;
  asleep: number;
  participants: number;
  events: number;
  retainedBytes: number;
  listeners: number;
  trackedAddresses: number;
  created: number;
  sent: number;
  hibernations: number;
  resumes: number;
  evictions: Readonly<Record<EvictionReason, number>>;
}

export const noEvictions = () =>
  Object.fromEntries(EVICTION_REASONS.map((reason) => [reason, 0])) as Record<EvictionReason, number>;
