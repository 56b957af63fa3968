/** The secrets of rooms name themselves: a token for one agent in one room, a code for people, a reader's own token. */
export const ROOM_TOKEN_PREFIX = 'rat_';
export const HUMAN_CODE_PREFIX = 'hc_';
export const VIEWER_PREFIX = 'hv_';

export type RoomSecretPrefix = typeof ROOM_TOKEN_PREFIX | typeof HUMAN_CODE_PREFIX | typeof VIEWER_PREFIX;

/** Random bytes behind each. */
export const ROOM_SECRET_BYTES: Readonly<Record<RoomSecretPrefix, number>> = {
  [ROOM_TOKEN_PREFIX]: 24,
  [HUMAN_CODE_PREFIX]: 18,
  [VIEWER_PREFIX]: 18,
};
