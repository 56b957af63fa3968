import * as limits from '@parley/protocol/channels/limits';
import { HeldSecret } from '../platform/auth/held-secret.ts';
import { type Channel, handleOf, type KeptEvent, type Member, memberBy, pageEnd, roster } from './channel.ts';
import { ChannelRegistry } from './channel-registry.ts';
import { ChannelError, channelAsleep } from './errors.ts';
import { overfull } from './expiry.ts';
import { isClientId, isText, textError } from './sent-text.ts';
import { enter } from './membership.ts';
import type {
  ChannelStore,
  ChannelCredentials,
  JoinInput,
  JoinResult,
  Page,
  ChannelReader,
  SendInput,
} from './store.ts';

/** The channels of one process, and what may be asked of them. Every method runs to its end without yielding, so each is atomic. */
export class MemoryChannelStore extends ChannelRegistry implements ChannelStore {
  join(channelId: string, { token, ...input }: JoinInput): JoinResult {
    const channel = this.open(channelId, token);
    if (channel.state === 'closing') throw this.goneError(channel);
    const now = this.clock.now();
    const entry = enter(channel, input, { now, maxParticipants: this.settings.maxParticipants });
    if (channel.state === 'asleep') this.wake(channel);
    channel.lastActivity = now;
    if (entry.kind === 'resumed') {
      entry.member.lastSeen = now;
      return this.#joined(channel, entry.member, { participantId: entry.participantId, resumed: true });
    }
    if (entry.replaces) this.removeMember(channel, entry.replaces);
    const participantId = this.random.hex(limits.PARTICIPANT_ID_BYTES);
    const id = new HeldSecret(participantId);
    const member = { ...entry.member, handle: handleOf(participantId), id, lastSeen: now, listeners: 0 };
    this.addMember(channel, member);
    return this.#joined(channel, member, { participantId, resumed: false });
  }

  send(channelId: string, input: SendInput): { index: number; duplicate: boolean } {
    const { text } = input;
    const channel = this.#awake(channelId, input.token);
    const member = memberOf(channel, input.participantId);
    if (!isText(text)) throw textError(text);
    const now = this.clock.now();
    channel.lastActivity = now;
    member.lastSeen = now;
    const key = sendKey(member, input.clientId);
    const before = key && recentSend(channel, key, now);
    if (before) return { index: before.index, duplicate: true };

    const index = this.append(channel, { type: 'message', from: member.name, text });
    if (key) channel.sends.set(key, { index, at: now });
    const full = overfull(channel, this.settings);
    if (full) this.evict(channel, full);
    else this.keepWithinBudget(channel);
    return { index, duplicate: false };
  }

  admit(
    channelId: string,
    { token, participantId }: ChannelCredentials,
    { since }: { since: number },
  ): { reader: ChannelReader; page: Page } {
    const channel = this.open(channelId, token);
    if (channel.state === 'asleep') throw channelAsleep();
    const member = memberOf(channel, participantId);
    const now = this.clock.now();
    member.lastSeen = now;
    channel.lastActivity = now;
    return { reader: { channelId, memberKey: member.handle }, page: this.#page(channel, since) };
  }

  read(channelId: string, since: number): Page | undefined {
    const channel = this.get(channelId);
    return channel && this.#page(channel, since);
  }

  events(channelId: string, after: number, limit: number): KeptEvent[] {
    const log = this.get(channelId)?.log;
    const first = after + 1;
    const count = Math.max(0, Math.min(limit, (log?.length ?? 0) - first));
    return Array.from({ length: count }, (_, at) => {
      const seq = first + at;
      return { seq, prev: seq - 1, json: log?.json(seq) ?? '' };
    });
  }

  waiting({ channelId, memberKey }: ChannelReader, change: 1 | -1): void {
    const channel = this.get(channelId);
    if (!channel) return;
    this.listening(channel, change);
    const member = channel.members.get(memberKey);
    if (!member) return;
    member.listeners += change;
    member.lastSeen = this.clock.now();
  }

  leave(channelId: string, { token, participantId }: ChannelCredentials): void {
    const channel = this.#awake(channelId, token);
    const member = memberOf(channel, participantId);
    channel.lastActivity = this.clock.now();
    this.removeMember(channel, member);
    if (channel.members.size === 0) this.evict(channel, 'evicted_empty');
  }

  refresh(): void {}

  async start(): Promise<void> {
    // Nothing is on disk that could be taken up again.
  }

  #page(channel: Channel, since: number): Page {
    const cursor = pageEnd(channel, since);
    const present = roster(channel, this.clock.now());
    return { events: channel.log.pieces(since, cursor), cursor, length: channel.log.length, roster: present };
  }

  #awake(channelId: string, token: unknown): Channel {
    const channel = this.open(channelId, token);
    if (channel.state === 'asleep') throw channelAsleep();
    if (channel.state === 'closing') throw this.goneError(channel);
    return channel;
  }

  #joined(channel: Channel, member: Member, result: { participantId: string; resumed: boolean }): JoinResult {
    return {
      ...result,
      name: member.name,
      participants: [...channel.members.values()].map((present) => present.name),
      roster: roster(channel, this.clock.now()),
      cursor: channel.log.length,
    };
  }
}

function memberOf(channel: Channel, participantId: unknown): Member {
  const member = memberBy(channel, participantId);
  if (!member) throw new ChannelError('participant_not_in_channel');
  return member;
}

/** What a retried send is recognised by; undefined when the client gave nothing usable. */
function sendKey(member: Member, clientId: unknown): string | undefined {
  return isClientId(clientId) ? `${member.handle}:${clientId}` : undefined;
}

function recentSend(channel: Channel, key: string, now: number): { index: number } | undefined {
  for (const [old, sent] of channel.sends) {
    if (now - sent.at < limits.CLIENT_ID_MEMORY_MS) break;
    channel.sends.delete(old);
  }
  return channel.sends.get(key);
}
