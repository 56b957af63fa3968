import { SecretBox } from '../../platform/auth/secret-box.ts';
import type { Random } from '../../platform/ids.ts';
import type { Room } from './room.ts';

const KEY_BYTES = 32;

/**
 * Message text at rest. Each room has a random key of its own, stored only under the master key: when a purge drops it,
 * what may linger on the disk or in a backup can no longer be read. Every text is bound to its room and turn.
 */
export class RoomEncryption {
  readonly #box: SecretBox;
  readonly #random: Random;

  constructor(box: SecretBox, random: Random) {
    this.#box = box;
    this.#random = random;
  }

  /** A new room's key, sealed. */
  newKey(roomId: string): string {
    const key = Buffer.from(this.#random.bytes(KEY_BYTES)).toString('base64url');
    return this.#box.seal(key, keyPurpose(roomId));
  }

  cipher(room: Pick<Room, 'id' | 'sealedKey'>): RoomCipher {
    if (room.sealedKey === null) throw new TypeError('the key of a purged room is gone');
    const key = Buffer.from(this.#box.open(room.sealedKey, keyPurpose(room.id)), 'base64url');
    return new RoomCipher(new SecretBox(key, this.#random), room.id);
  }
}

export class RoomCipher {
  readonly #box: SecretBox;
  readonly #roomId: string;

  constructor(box: SecretBox, roomId: string) {
    this.#box = box;
    this.#roomId = roomId;
  }

  seal(turn: number, text: string): string {
    return this.#box.seal(text, this.#purpose(turn));
  }

  open(turn: number, sealed: string): string {
    return this.#box.open(sealed, this.#purpose(turn));
  }

  #purpose(turn: number): string {
    return `room-message:${this.#roomId}:${turn}`;
  }
}

function keyPurpose(roomId: string): string {
  return `room-key:${roomId}`;
}
