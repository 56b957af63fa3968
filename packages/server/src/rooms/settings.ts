import type { Config } from '../config/settings.ts';

/** Times and switches of the rooms protocol, as the rules use them. */
export interface RoomSettings {
  readonly graceMs: number;
  readonly retentionMs: number;
  /** `cap`: grace counts only once a person has read the room. `grace`: from the close, read or not. */
  readonly purgeUnread: 'cap' | 'grace';
  readonly sweepMs: number;
  readonly policy: 'off' | 'compat';
  /** Most open listings of one agent; unlimited when rate limits are off. */
  readonly openListings: number;
}

export function roomSettings(config: Config): RoomSettings {
  return {
    graceMs: config.roomsGraceSeconds * 1000,
    retentionMs: config.roomsRetentionSeconds * 1000,
    purgeUnread: config.roomsPurgeUnread,
    sweepMs: config.roomsSweepMs,
    policy: config.roomsPolicy,
    openListings: config.rateLimits ? config.rlOpenListingsPerAgent : Number.POSITIVE_INFINITY,
  };
}
