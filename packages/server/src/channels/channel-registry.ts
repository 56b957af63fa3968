import type { EvictionReason } from '@parley/protocol/channels/errors';
import * as limits from '@parley/protocol/channels/limits';
import { HeldSecret } from '../platform/auth/held-secret.ts';
import type { Clock, Timer } from '../platform/clock.ts';
import type { Random } from '../platform/ids.ts';
import { HeldSlots } from '../platform/limits/slots.ts';
import { append, type Channel, emptied, type EventFields, type Member } from './channel.ts';
import { admitCreator, CREATE_SHARE } from './creators.ts';
import { EventBytes } from './event-bytes.ts';
import { ChannelError, channelGone, channelUnknown } from './errors.ts';
import { overdue } from './expiry.ts';
import { type ListedChannel, listedChannel } from './listed-channel.ts';
import type { ChannelSettings } from './settings.ts';
import { type ChannelCounters, type ChannelListener, noEvictions } from './store.ts';
import { Tombstones } from './tombstones.ts';

/** Which channels there are, from creation over sleep to the end, with kept counters of what they hold. */
export class ChannelRegistry {
  readonly #channels = new Map<string, Channel>();
  readonly #tombstones = new Tombstones();
  /** How many live channels each address has created. */
  readonly #slots = new HeldSlots();
  protected readonly settings: ChannelSettings;
  protected readonly clock: Clock;
  protected readonly random: Random;
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
  readonly #evictions = noEvictions();
  #sweep: Timer | undefined;

  constructor({ settings, clock, random }: { settings: ChannelSettings; clock: Clock; random: Random }) {
    this.settings = settings;
    this.clock = clock;
    this.random = random;
    this.#armSweep();
  }

  admitCreator(address: string): void {
    const held = this.#slots.of(address);
    admitCreator(this.settings, address, { held, retainedBytes: this.#count.retainedBytes });
  }

  create(address: string): { channelId: string; token: string } {
    this.admitCreator(address);
    const token = this.random.hex(limits.TOKEN_BYTES);
    const now = this.clock.now();
    const channel: Channel = {
      id: this.#freshId(),
      token: new HeldSecret(token),
      createdAt: now,
      slotOf: address,
      state: 'awake',
      closing: undefined,
      asleepSince: 0,
      lastActivity: now,
      listeners: 0,
      log: new EventBytes(),
      textBytes: 0,
      messages: 0,
      members: new Map(),
      sends: new Map(),
    };
    this.#channels.set(channel.id, channel);
    this.#slots.change(address, 1);
    this.#count.created++;
    return { channelId: channel.id, token };
  }

  get(channelId: string): Channel | undefined {
    return this.#channels.get(channelId);
  }

  /** The channel behind id and token; one and the same error for whatever is wrong with the pair. */
  open(channelId: string, token: unknown): Channel {
    const channel = this.#current(channelId);
    if (channel) {
      if (!channel.token.matches(token)) throw channelUnknown();
      return channel;
    }
    const now = this.clock.now();
    const stone = this.#tombstones.find(channelId, now);
    if (!stone?.token.matches(token)) throw channelUnknown();
    throw channelGone(stone.reason, Math.floor((now - stone.at) / 1000));
  }

  /** The error of a channel whose end was announced, for everyone but those who still may read. */
  goneError(channel: Channel): ChannelError {
    const { reason, at } = channel.closing ?? { reason: 'evicted_idle' as const, at: this.clock.now() };
    return channelGone(reason, Math.floor((this.clock.now() - at) / 1000));
  }

  /** Appends an event and returns its index. */
  append(channel: Channel, fields: EventFields): number {
    const bytesBefore = channel.textBytes;
    const event = append(channel, this.clock.now(), fields);
    this.#count.events++;
    if (fields.type === 'message') this.#count.sent++;
    this.#count.retainedBytes += channel.textBytes - bytesBefore;
    for (const listener of this.#listeners) listener.appended(channel.id, event);
    return event.seq;
  }

  addMember(channel: Channel, member: Member): void {
    channel.members.set(member.handle, member);
    this.#count.participants++;
    this.append(channel, { type: 'join', from: member.name });
  }

  removeMember(channel: Channel, member: Member): void {
    channel.members.delete(member.handle);
    this.#count.participants--;
    const index = this.append(channel, { type: 'leave', from: member.name });
    for (const listener of this.#listeners) listener.left(channel.id, member.handle, index);
  }

  /** Says that one more or one fewer waits in the channel; while somebody does, it is not idle. */
  listening(channel: Channel, change: 1 | -1): void {
    channel.listeners += change;
    this.#count.listeners += change;
    channel.lastActivity = this.clock.now();
  }

  /** Ends a channel, announced first where notices are on. A sleeping channel has nobody to tell. */
  evict(channel: Channel, reason: EvictionReason): void {
    if (this.settings.noticeMs === 0 || channel.state === 'asleep' || reason === 'evicted_empty') {
      this.#bury(channel, reason);
      return;
    }
    channel.state = 'closing';
    channel.closing = { reason, at: this.clock.now() };
    this.#evictions[reason]++;
    this.append(channel, { type: 'system', reason });
    this.clock.after(this.settings.noticeMs, () => this.#current(channel.id));
  }

  wake(channel: Channel): void {
    channel.state = 'awake';
    this.#count.asleep--;
    this.#count.resumes++;
  }

  /** Over the global budget the channels that were quiet longest go, until a tenth of it is free again. */
  keepWithinBudget(spared: Channel): void {
    if (this.#count.retainedBytes <= this.settings.globalMaxBytes) return;
    const holding = [...this.#channels.values()].filter((other) => other !== spared && other.textBytes > 0);
    for (const channel of holding.toSorted((a, b) => a.lastActivity - b.lastActivity)) {
      if (this.#count.retainedBytes <= this.settings.globalMaxBytes * CREATE_SHARE) return;
      this.#bury(channel, 'evicted_max_bytes');
    }
  }

  counters(): ChannelCounters {
    return {
      ...this.#count,
      channels: this.#channels.size - this.#count.asleep,
      trackedAddresses: this.#slots.size,
      evictions: { ...this.#evictions },
    };
  }

  /** The newest channels, each as far as the clock has brought it. Nothing of a text or of a token is in it. */
  listing(most: number): ListedChannel[] {
    const now = this.clock.now();
    return [...this.#channels.values()]
      .filter((channel) => this.#current(channel.id) === channel)
      .slice(-most)
      .toReversed()
      .map((channel) => listedChannel(channel, now, this.settings));
  }

  subscribe(listener: ChannelListener): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#sweep?.cancel();
    this.#channels.clear();
  }

  /** Looks a channel up and lets the clock act on it first. */
  #current(channelId: string): Channel | undefined {
    const channel = this.#channels.get(channelId);
    if (channel) this.#expire(channel);
    return this.#channels.get(channelId);
  }

  #freshId(): string {
    for (;;) {
      const id = this.random.hex(limits.CHANNEL_ID_BYTES);
      if (!this.#channels.has(id) && !this.#tombstones.has(id)) return id;
    }
  }

  #armSweep(): void {
    this.#sweep = this.clock.after(this.settings.sweepMs, () => {
      for (const channel of this.#channels.values()) this.#expire(channel);
      this.#tombstones.forgetOld(this.clock.now());
      this.#armSweep();
    });
  }

  #expire(channel: Channel): void {
    const change = overdue(channel, this.clock.now(), this.settings);
    if (change === undefined) return;
    if (change === 'sleep') this.#sleep(channel);
    else if (change === 'end') this.#bury(channel, channel.closing?.reason ?? 'evicted_idle');
    else this.evict(channel, change);
  }

  #bury(channel: Channel, reason: EvictionReason): void {
    const now = this.clock.now();
    const at = channel.closing?.at ?? now;
    for (const listener of this.#listeners) listener.ended(channel.id, reason, Math.floor((now - at) / 1000));
    this.#channels.delete(channel.id);
    this.#tombstones.bury(channel.id, { token: channel.token, reason, at });
    if (channel.state === 'asleep') this.#count.asleep--;
    this.#count.listeners -= channel.listeners;
    this.#drop(channel);
    // One whose end was announced was counted then.
    if (!channel.closing) this.#evictions[reason]++;
  }

  #sleep(channel: Channel): void {
    this.#drop(channel);
    channel.state = 'asleep';
    channel.asleepSince = this.clock.now();
    this.#count.asleep++;
    this.#count.hibernations++;
    for (const listener of this.#listeners) listener.slept(channel.id);
  }

  /** Gives back everything a channel holds: its slot, its log, its members. */
  #drop(channel: Channel): void {
    if (channel.slotOf !== undefined) this.#slots.change(channel.slotOf, -1);
    channel.slotOf = undefined;
    this.#count.participants -= channel.members.size;
    this.#count.events -= channel.log.length;
    this.#count.retainedBytes -= channel.textBytes;
    emptied(channel);
  }
}
