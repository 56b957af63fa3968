import type { Limits } from '../platform/limits/limits.ts';
import type { Config } from '../config/settings.ts';

/** The limits and times of the channels protocol, as the rules use them. */
export interface ChannelSettings {
  maxParticipants: number;
  maxEvents: number;
  maxBytes: number;
  globalMaxBytes: number;
  concurrentPerAddress: (address: string) => number;
  idleMs: number;
  lifetimeMs: number;
  sweepMs: number;
  pollMs: number;
  hibernateMs: number;
  noticeMs: number;
  /** Off: the live-channel cap per address does not apply, like every other rate limit. */
  limited: boolean;
  /** Whether a Redis that could write channels to a disk is refused. */
  strict: boolean;
}

export function channelSettings(config: Config, limits: Limits): ChannelSettings {
  return {
    maxParticipants: config.chMaxParticipants,
    maxEvents: config.chMaxMessages,
    maxBytes: config.chMaxBytes,
    globalMaxBytes: config.chGlobalMaxBytes,
    concurrentPerAddress: (address) => limits.atATime(address, config.rlConcurrentChannelsPerIp),
    idleMs: config.chIdleTimeoutMs,
    lifetimeMs: config.chMaxLifetimeMs,
    sweepMs: config.chSweepIntervalMs,
    pollMs: config.chPollTimeoutMs,
    hibernateMs: config.chHibernateMaxMs,
    noticeMs: config.chEvictNoticeMs,
    limited: config.rateLimits,
    strict: config.channelsStrict,
  };
}
