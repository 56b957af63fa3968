import type { Config } from '../config/settings.ts';

export type RoomSettings = ReturnType<typeof roomSettings>;

/** Times and switches of the rooms protocol, as the rules use them. */
export const roomSettings = (config: Config) => ({
  graceMs: config.roomsGraceSeconds * 1000,
  retentionMs: config.roomsRetentionSeconds * 1000,
  /** `cap`: grace counts only once a person has read the room. `grace`: from the close, read or not. */
  purgeUnread: config.roomsPurgeUnread,
  sweepMs: config.roomsSweepMs,
  policy: config.roomsPolicy,
  /** Most open listings of one agent; unlimited when rate limits are off. */
  openListings: config.rateLimits ? config.rlOpenListingsPerAgent : Number.POSITIVE_INFINITY,
});
