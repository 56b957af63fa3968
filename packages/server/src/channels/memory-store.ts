import { EVICTION_REASONS, type EvictionReason } from '@parley/protocol/channels/errors';
import {
  CLIENT_ID_MEMORY_MS,
  CHANNEL_ID_BYTES,
  CONCURRENT_RETRY_AFTER_SECONDS,
  MAX_CLIENT_ID_UNITS,
  MAX_TEXT_UNITS,
  PARTICIPANT_ID_BYTES,
  TOKEN_BYTES,
} from '@parley/protocol/channels/limits';
import { hashSecret } from '../platform/auth/secrets.ts';
import type { Clock, Timer } from '../platform/clock.ts';
import type { Random } from '../platform/ids.ts';
import { AddressSlots } from './address-slots.ts';
import { append, type Channel, emptied, type LoggedEvent, type Member, page, roster } from './channel.ts';
import { ChannelError, channelAsleep, channelGone, channelUnknown, rateLimited } from './errors.ts';
import { overdue, overfull } from './expiry.ts';
import { enter } from './membership.ts';
import type { ChannelSettings } from './settings.ts';
import type {
  ChannelCounters,
  ChannelListener,
  ChannelStore,
  Credentials,
  JoinInput,
  JoinResult,
  Page,
  Reader,
  SendInput,
} from './store.ts';
import { Tombstones } from './tombstones.ts';

/** Creates are refused from this share of the global byte budget on; above the budget itself the idle go. */
const CREATE_SHARE = 0.9;

/** The channels of one process. Every method runs to its end without yielding, so each is atomic. */
export class MemoryChannelStore implements ChannelStore {
  readonly #channels = new Map<string, Channel>();
  readonly #tombstones = new Tombstones();
  readonly #slots = new AddressSlots();
  readonly #settings: ChannelSettings;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #listeners: ChannelListener[] = [];
  readonly #count = {
    asleep: 0,
    participants: 0,
    events: 0,
    retainedBytes: 0,
    listeners: 0,
    created: 0,
    sent: 0,
    hibernations: 0,
    resumes: 0,
  };
  readonly #evictions = Object.fromEntries(EVICTION_REASONS.map((reason) => [reason, 0])) as Record<
    EvictionReason,
    number
  >;
  #sweep: Timer | undefined;

  constructor({ settings, clock, random }: { settings: ChannelSettings; clock: Clock; random: Random }) {
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
    this.#armSweep();
  }

  admitCreator(address: string): void {
    const { limited, concurrentPerAddress, globalMaxBytes } = this.#settings;
    if (limited && this.#slots.of(address) >= concurrentPerAddress) {
      throw new ChannelError('concurrent_channels_limit', {
        retry_after_sec: CONCURRENT_RETRY_AFTER_SECONDS,
      });
    }
    if (this.#count.retainedBytes >= globalMaxBytes * CREATE_SHARE)
      throw rateLimited(CONCURRENT_RETRY_AFTER_SECONDS);
  }

  create(address: string): { channelId: string; token: string } {
    this.admitCreator(address);
    const token = this.#random.hex(TOKEN_BYTES);
    const now = this.#clock.now();
    const channel: Channel = {
      id: this.#freshId(),
      tokenHash: hashSecret(token),
      createdAt: now,
      slotOf: address,
      state: 'awake',
      closing: undefined,
      asleepSince: 0,
      lastActivity: now,
      listeners: 0,
      log: [],
      textBytes: 0,
      members: new Map(),
      sends: new Map(),
    };
    this.#channels.set(channel.id, channel);
    this.#slots.take(address);
    this.#count.created++;
    return { channelId: channel.id, token };
  }

  join(channelId: string, { token, name, keyFp, resume }: JoinInput): JoinResult {
    const channel = this.#open(channelId, token);
    if (channel.state === 'closing') throw this.#goneError(channel);
    const now = this.#clock.now();
    const entry = enter(channel, {
      name,
      keyFp,
      resume,
      now,
      maxParticipants: this.#settings.maxParticipants,
    });
    if (channel.state === 'asleep') this.#wake(channel);
    channel.lastActivity = now;
    if (entry.kind === 'resumed') {
      entry.member.lastSeen = now;
      return this.#joined(channel, entry.member, { participantId: entry.participantId, resumed: true });
    }
    if (entry.replaces) this.#remove(channel, entry.replaces);
    const participantId = this.#random.hex(PARTICIPANT_ID_BYTES);
    const member: Member = {
      ...entry.member,
      idHash: hashSecret(participantId),
      lastSeen: now,
      listeners: 0,
    };
    channel.members.set(member.idHash, member);
    this.#count.participants++;
    this.#append(channel, { type: 'join', from: member.name });
    return this.#joined(channel, member, { participantId, resumed: false });
  }

  send(
    channelId: string,
    { text, clientId, ...credentials }: SendInput,
  ): { index: number; duplicate: boolean } {
    const channel = this.#awake(channelId, credentials.token);
    const member = this.#member(channel, credentials.participantId);
    if (typeof text !== 'string' || text === '') throw new ChannelError('empty_text');
    if (text.length > MAX_TEXT_UNITS) throw new ChannelError('text_too_large');
    const now = this.#clock.now();
    channel.lastActivity = now;
    member.lastSeen = now;
    const sendKey =
      typeof clientId === 'string' && clientId !== '' && clientId.length <= MAX_CLIENT_ID_UNITS
        ? `${member.idHash}:${clientId}`
        : undefined;
    const before = sendKey && this.#recentSend(channel, sendKey, now);
    if (before) return { index: before.index, duplicate: true };

    const index = this.#append(channel, { type: 'message', from: member.name, text });
    if (sendKey) channel.sends.set(sendKey, { index, at: now });
    this.#count.sent++;
    const full = overfull(channel, this.#settings);
    if (full) this.#evict(channel, full);
    else if (this.#count.retainedBytes > this.#settings.globalMaxBytes) this.#makeRoom(channel);
    return { index, duplicate: false };
  }

  admit(channelId: string, { token, participantId }: Credentials): Reader {
    const channel = this.#open(channelId, token);
    if (channel.state === 'asleep') throw channelAsleep();
    const member = this.#member(channel, participantId);
    const now = this.#clock.now();
    member.lastSeen = now;
    channel.lastActivity = now;
    return { channelId, memberKey: member.idHash, name: member.name };
  }

  read(channelId: string, since: number): Page | undefined {
    const channel = this.#channels.get(channelId);
    if (!channel) return undefined;
    const { events, cursor } = page(channel, since);
    return { events, cursor, length: channel.log.length, roster: roster(channel, this.#clock.now()) };
  }

  events(channelId: string, after: number, limit: number): LoggedEvent[] {
    return this.#channels.get(channelId)?.log.slice(after + 1, after + 1 + limit) ?? [];
  }

  waiting({ channelId, memberKey }: Reader, change: 1 | -1): void {
    const channel = this.#channels.get(channelId);
    if (!channel) return;
    channel.listeners += change;
    this.#count.listeners += change;
    channel.lastActivity = this.#clock.now();
    const member = channel.members.get(memberKey);
    if (!member) return;
    member.listeners += change;
    member.lastSeen = this.#clock.now();
  }

  leave(channelId: string, { token, participantId }: Credentials): void {
    const channel = this.#awake(channelId, token);
    const member = this.#member(channel, participantId);
    channel.lastActivity = this.#clock.now();
    this.#remove(channel, member);
    if (channel.members.size === 0) this.#bury(channel, 'evicted_empty');
  }

  counters(): ChannelCounters {
    return {
      ...this.#count,
      channels: this.#channels.size - this.#count.asleep,
      trackedAddresses: this.#slots.addresses,
      evictions: { ...this.#evictions },
    };
  }

  subscribe(listener: ChannelListener): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#sweep?.cancel();
    this.#channels.clear();
  }

  /** The channel behind id and token; one and the same error for whatever is wrong with the pair. */
  #open(channelId: string, token: unknown): Channel {
    const channel = this.#current(channelId);
    const tokenHash = typeof token === 'string' ? hashSecret(token) : '';
    if (channel) {
      if (channel.tokenHash !== tokenHash) throw channelUnknown();
      return channel;
    }
    const now = this.#clock.now();
    const stone = this.#tombstones.find(channelId, now);
    if (stone?.tokenHash !== tokenHash) throw channelUnknown();
    throw channelGone(stone.reason, Math.floor((now - stone.at) / 1000));
  }

  #awake(channelId: string, token: unknown): Channel {
    const channel = this.#open(channelId, token);
    if (channel.state === 'asleep') throw channelAsleep();
    if (channel.state === 'closing') throw this.#goneError(channel);
    return channel;
  }

  #goneError(channel: Channel): ChannelError {
    const { reason, at } = channel.closing ?? { reason: 'evicted_idle' as const, at: this.#clock.now() };
    return channelGone(reason, Math.floor((this.#clock.now() - at) / 1000));
  }

  /** Looks a channel up and lets the clock act on it first. */
  #current(channelId: string): Channel | undefined {
    const channel = this.#channels.get(channelId);
    if (channel) this.#expire(channel);
    return this.#channels.get(channelId);
  }

  #member(channel: Channel, participantId: unknown): Member {
    const member =
      typeof participantId === 'string' ? channel.members.get(hashSecret(participantId)) : undefined;
    if (!member) throw new ChannelError('participant_not_in_channel');
    return member;
  }

  #joined(channel: Channel, member: Member, result: { participantId: string; resumed: boolean }): JoinResult {
    return {
      ...result,
      name: member.name,
      participants: [...channel.members.values()].map((present) => present.name),
      roster: roster(channel, this.#clock.now()),
      cursor: channel.log.length,
    };
  }

  #append(channel: Channel, fields: Parameters<typeof append>[2]): number {
    const bytesBefore = channel.textBytes;
    const event = append(channel, this.#clock.now(), fields);
    this.#count.events++;
    this.#count.retainedBytes += channel.textBytes - bytesBefore;
    for (const listener of this.#listeners) listener.appended(channel.id, event);
    return event.seq;
  }

  #remove(channel: Channel, member: Member): void {
    channel.members.delete(member.idHash);
    this.#count.participants--;
    const index = this.#append(channel, { type: 'leave', from: member.name });
    for (const listener of this.#listeners) listener.left(channel.id, member.idHash, index);
  }

  #recentSend(channel: Channel, sendKey: string, now: number): { index: number } | undefined {
    for (const [key, sent] of channel.sends) {
      if (now - sent.at < CLIENT_ID_MEMORY_MS) break;
      channel.sends.delete(key);
    }
    return channel.sends.get(sendKey);
  }

  #freshId(): string {
    for (;;) {
      const id = this.#random.hex(CHANNEL_ID_BYTES);
      if (!this.#channels.has(id) && !this.#tombstones.has(id)) return id;
    }
  }

  #armSweep(): void {
    this.#sweep = this.#clock.after(this.#settings.sweepMs, () => {
      for (const channel of this.#channels.values()) this.#expire(channel);
      this.#tombstones.forgetOld(this.#clock.now());
      this.#armSweep();
    });
  }

  #expire(channel: Channel): void {
    const change = overdue(channel, this.#clock.now(), this.#settings);
    if (change === undefined) return;
    if (change === 'sleep') this.#sleep(channel);
    else if (change === 'end') this.#bury(channel, channel.closing?.reason ?? 'evicted_idle');
    else this.#evict(channel, change);
  }

  /** Ends a channel, announced first where notices are on. A sleeping channel has nobody to tell. */
  #evict(channel: Channel, reason: EvictionReason): void {
    if (this.#settings.noticeMs === 0 || channel.state === 'asleep') {
      this.#bury(channel, reason);
      return;
    }
    channel.state = 'closing';
    channel.closing = { reason, at: this.#clock.now() };
    this.#append(channel, { type: 'system', reason });
    this.#clock.after(this.#settings.noticeMs, () => this.#current(channel.id));
  }

  #bury(channel: Channel, reason: EvictionReason): void {
    const now = this.#clock.now();
    const at = channel.closing?.at ?? now;
    for (const listener of this.#listeners) listener.ended(channel.id, reason, Math.floor((now - at) / 1000));
    this.#channels.delete(channel.id);
    this.#tombstones.bury(channel.id, { tokenHash: channel.tokenHash, reason, at });
    if (channel.state === 'asleep') this.#count.asleep--;
    this.#count.listeners -= channel.listeners;
    this.#drop(channel);
    this.#evictions[reason]++;
  }

  #sleep(channel: Channel): void {
    this.#drop(channel);
    channel.state = 'asleep';
    channel.asleepSince = this.#clock.now();
    this.#count.asleep++;
    this.#count.hibernations++;
    for (const listener of this.#listeners) listener.slept(channel.id);
  }

  #wake(channel: Channel): void {
    channel.state = 'awake';
    this.#count.asleep--;
    this.#count.resumes++;
  }

  /** Gives back everything a channel holds: its slot, its log, its members. */
  #drop(channel: Channel): void {
    if (channel.slotOf !== undefined) this.#slots.release(channel.slotOf);
    channel.slotOf = undefined;
    this.#count.participants -= channel.members.size;
    this.#count.events -= channel.log.length;
    this.#count.retainedBytes -= channel.textBytes;
    emptied(channel);
  }

  /** Over the global budget the channels that were quiet longest go, until a tenth of it is free again. */
  #makeRoom(spared: Channel): void {
    const holding = [...this.#channels.values()].filter(
      (channel) => channel !== spared && channel.textBytes > 0,
    );
    for (const channel of holding.toSorted((a, b) => a.lastActivity - b.lastActivity)) {
      if (this.#count.retainedBytes <= this.#settings.globalMaxBytes * CREATE_SHARE) return;
      this.#bury(channel, 'evicted_max_bytes');
    }
  }
}
