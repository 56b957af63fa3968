import { ROOM_SECRET_BYTES, type RoomSecretPrefix } from '@parley/protocol/rooms/secrets';
import { type Random, randomText } from '../platform/ids.ts';

export type IdPrefix = 'lst' | 'room' | 'msg' | 'dly' | 'whk' | 'whd';
const ID_BYTES = 12;

/** Clients use ids as file names, so they keep to `A-Z a-z 0-9 - _`. */
export function newId(random: Random, prefix: IdPrefix): string {
  return `${prefix}_${randomText(random, ID_BYTES)}`;
}

export function newSecret(random: Random, prefix: RoomSecretPrefix): string {
  return `${prefix}${randomText(random, ROOM_SECRET_BYTES[prefix])}`;
}
