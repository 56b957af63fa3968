import type { EvictionReason } from '@parley/protocol/channels/errors';
import type { Channel } from './channel.ts';
import type { ChannelSettings } from './settings.ts';

/** What the clock does to a channel now, if anything. Checked by the sweep and, lazily, by every call. */
export function overdue(
  channel: Channel,
  now: number,
  settings: ChannelSettings,
): 'sleep' | 'end' | EvictionReason | undefined {
  if (channel.state === 'closing') {
    return channel.closing && now - channel.closing.at >= settings.noticeMs ? 'end' : undefined;
  }
  if (now - channel.createdAt >= settings.lifetimeMs) return 'evicted_max_lifetime';
  if (channel.state === 'asleep') {
    return now - channel.asleepSince >= settings.hibernateMs ? 'evicted_hibernate_expired' : undefined;
  }
  if (channel.listeners > 0 || now - channel.lastActivity < settings.idleMs) return undefined;
  return settings.hibernateMs > 0 ? 'sleep' : 'evicted_idle';
}

/** What a send may have filled up. The send itself is accepted either way. */
export function overfull(channel: Channel, settings: ChannelSettings): EvictionReason | undefined {
  if (channel.log.length >= settings.maxEvents) return 'evicted_max_messages';
  return channel.textBytes > settings.maxBytes ? 'evicted_max_bytes' : undefined;
}
