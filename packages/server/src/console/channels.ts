import type { ConsoleChannelsAnswer } from '@parley/protocol/console/channel-routes';
import type { ListedChannel } from '../channels/listed-channel.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { ConsoleContext } from './create-module.ts';

const MOST = 500;

/** Channels belong to nobody: whoever has a link is in. So only whoever runs the server sees that they are there. */
export async function channelsOf({ channels, config }: ConsoleContext): Promise<ConsoleChannelsAnswer> {
  return {
    channels: (await channels.listing(MOST)).map(answer),
    limits: {
      participants: config.chMaxParticipants,
      messages: config.chMaxMessages,
      bytes: config.chMaxBytes,
    },
  };
}

const answer = (channel: ListedChannel): ConsoleChannelsAnswer['channels'][number] => ({
  id: channel.id,
  state: channel.state,
  participants: channel.participants.map(({ name, seenAt }) => ({ name, seen_at: iso(seenAt) })),
  messages: channel.messages,
  bytes: channel.bytes,
  listening: channel.listeners,
  created_at: iso(channel.createdAt),
  active_at: iso(channel.activeAt),
  idle_at: isoOrNull(channel.idleAt),
  ends_at: iso(channel.endsAt),
});
