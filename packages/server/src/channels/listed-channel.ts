import type { Channel } from './channel.ts';
import type { ChannelSettings } from './settings.ts';

/** A channel as whoever runs the server may see it: who, when and how much, never what. Times in Unix milliseconds. */
export interface ListedChannel {
  readonly id: string;
  readonly state: Channel['state'];
  readonly participants: readonly { readonly name: string; readonly seenAt: number }[];
  readonly messages: number;
  readonly bytes: number;
  readonly listeners: number;
  readonly createdAt: number;
  readonly activeAt: number;
  /** When it sleeps or ends if nothing happens; null while somebody listens. */
  readonly idleAt: number | null;
  /** When it ends whatever happens. */
  readonly endsAt: number;
}

export function listedChannel(channel: Channel, now: number, settings: ChannelSettings): ListedChannel {
  const { id, state, members, messages, textBytes, listeners, createdAt, lastActivity, asleepSince } =
    channel;
  const idleAt = state === 'asleep' ? asleepSince + settings.hibernateMs : lastActivity + settings.idleMs;
  return {
    id,
    state,
    participants: [...members.values()].map(({ name, lastSeen, listeners: waiting }) => ({
      name,
      seenAt: waiting > 0 ? now : lastSeen,
    })),
    messages,
    bytes: textBytes,
    listeners,
    createdAt,
    activeAt: lastActivity,
    idleAt: listeners > 0 ? null : idleAt,
    endsAt: createdAt + settings.lifetimeMs,
  };
}
