import { variableName } from '../config/settings.ts';
import type { Platform } from '../platform.ts';
import { ChannelStreams } from './channel-streams.ts';
import { MemoryChannelStore } from './memory-store.ts';
import { ParkedPolls } from './parked-polls.ts';
import { ChannelService } from './service.ts';
import { RedisChannelStore } from './shared/redis-store.ts';
import { channelSettings } from './settings.ts';
import { channelTelemetry } from './telemetry.ts';
import { HOUR } from '../platform/units.ts';

export function createChannelService(platform: Platform): ChannelService {
  const { config, log, clock, random, limits, wheel, cluster } = platform;
  const settings = channelSettings(config, limits);
  const { node, redis } = cluster;
  const store = redis
    ? new RedisChannelStore({ redis, node, settings, clock, random, log })
    : new MemoryChannelStore({ settings, clock, random });
  const { woke, rejected } = channelTelemetry(platform, store);
  const perHour = (name: string, setting: 'rlChannelsPerHour' | 'rlJoinsPerHour' | 'rlMessagesPerHour') =>
    limits.tokenBucket(name, {
      capacity: config[setting],
      periodMs: HOUR,
      setting: variableName(setting),
      byAddress: true,
    });
  return new ChannelService({
    store,
    parked: new ParkedPolls({ store, wheel, clock, woke }),
    streams: new ChannelStreams({ store, wheel, onError: log.failed('channel_stream_failed') }),
    settings,
    rejected,
    log,
    limiters: {
      channels: perHour('channels.create', 'rlChannelsPerHour'),
      joins: perHour('channels.join', 'rlJoinsPerHour'),
      messages: perHour('channels.send', 'rlMessagesPerHour'),
    },
  });
}
