import { ROOM_SECRET_BYTES, type RoomSecretPrefix } from '@parley/protocol/rooms/secrets';
import type { Random } from '../platform/ids.ts';

export type IdPrefix = 'lst' | 'room' | 'msg' | 'dly' | 'whk' | 'whd';
const ID_BYTES = 12;

/** Clients use ids as file names, so they keep to `A-Z a-z 0-9 - _`. */
export function newId(random: Random, prefix: IdPrefix): string {
  return `${prefix}_${base64url(random, ID_BYTES)}`;
}

export function newSecret(random: Random, prefix: RoomSecretPrefix): string {
  return `${prefix}${base64url(random, ROOM_SECRET_BYTES[prefix])}`;
}

function base64url(random: Random, bytes: number): string {
  return Buffer.from(random.bytes(bytes)).toString('base64url');
}
