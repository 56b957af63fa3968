import type { Limits } from '../platform/limits/limits.ts';
import type { Config } from '../config/settings.ts';

/** The limits and times of the channels protocol, as the rules use them. */
export type ChannelSettings = ReturnType<typeof channelSettings>;

export function channelSettings(config: Config, limits: Limits) {
  return {
    maxParticipants: config.chMaxParticipants,
    maxEvents: config.chMaxMessages,
    maxBytes: config.chMaxBytes,
    globalMaxBytes: config.chGlobalMaxBytes,
    concurrentPerAddress: (address: string) => limits.atATime(address, config.rlConcurrentChannelsPerIp),
    idleMs: config.chIdleTimeoutMs,
    lifetimeMs: config.chMaxLifetimeMs,
    sweepMs: config.chSweepIntervalMs,
    pollMs: config.chPollTimeoutMs,
    hibernateMs: config.chHibernateMaxMs,
    noticeMs: config.chEvictNoticeMs,
    /** Off: the live-channel cap per address does not apply, like every other rate limit. */
    limited: config.rateLimits,
    /** Whether a Redis that could write channels to a disk is refused. */
    strict: config.channelsStrict,
  } as const;
}
