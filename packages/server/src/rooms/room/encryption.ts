import { SecretBox } from '../../platform/auth/secret-box.ts';
import { randomText } from '../../platform/ids.ts';
import type { Platform } from '../../platform.ts';
import type { Room } from './room.ts';

const KEY_BYTES = 32;

type Sealing = Pick<Platform, 'secrets' | 'random'>;

/**
 * Message text at rest. Each room has a random key of its own, stored only under the master key: when a purge drops it,
 * what may linger on the disk or in a backup can no longer be read. Every text is bound to its room and turn.
 */
export interface RoomCipher {
  seal(turn: number, text: string): string;
  open(turn: number, sealed: string): string;
}

/** A new room's key, sealed. */
export function newRoomKey({ secrets, random }: Sealing, roomId: string): string {
  return secrets.seal(randomText(random, KEY_BYTES), keyPurpose(roomId));
}

export function cipherOf(
  { secrets, random }: Sealing,
  { id, sealedKey }: Pick<Room, 'id' | 'sealedKey'>,
): RoomCipher {
  if (sealedKey === null) throw new TypeError('the key of a purged room is gone');
  const box = new SecretBox(Buffer.from(secrets.open(sealedKey, keyPurpose(id)), 'base64url'), random);
  const purpose = (turn: number): string => `room-message:${id}:${turn}`;
  return {
    seal: (turn, text) => box.seal(text, purpose(turn)),
    open: (turn, sealed) => box.open(sealed, purpose(turn)),
  };
}

const keyPurpose = (roomId: string): string => `room-key:${roomId}`;
