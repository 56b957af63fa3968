import type { Reader } from '../../platform/database/database.ts';
import type { Platform } from '../../platform.ts';
import { cipherOf, type RoomCipher } from '../room/encryption.ts';
import { recentMessages } from './message-store.ts';
import { type BundleMessage, MEMORY_MESSAGES } from './prompt-bundle.ts';
import { type Room, wireAgent } from '../room/room.ts';

interface Remembered {
  readonly turnIndex: number;
  readonly messages: readonly BundleMessage[];
  readonly cipher: RoomCipher;
  readonly chars: number;
  usedAt: number;
}

/** Half a dozen of the longest messages each, for some hundred busy rooms. */
const MOST_CHARS = 4_000_000;
/** Plain text and the room's key stay in memory only as long as a conversation is going on. */
const IDLE_MS = 60_000;

/**
 * The newest messages of a room, opened. A turn reads them twice, for the prompt and to check it, so they are kept for
 * a while. A message never changes once its turn was taken: what is remembered under a turn index is right for good.
 */
export class RecentMessages {
  readonly #platform: Pick<Platform, 'secrets' | 'random' | 'clock'>;
  /** Least recently used first. */
  readonly #rooms = new Map<string, Remembered>();
  #chars = 0;

  constructor(platform: Pick<Platform, 'secrets' | 'random' | 'clock'>) {
    this.#platform = platform;
  }

  /** Those before the room's current turn, at most six, oldest first. */
  async read(reader: Reader, room: Room): Promise<readonly BundleMessage[]> {
    if (room.turnIndex === 0) return [];
    const known = this.#rooms.get(room.id);
    if (known?.turnIndex === room.turnIndex) {
      this.#keep(room.id, known);
      return known.messages;
    }
    // Bounded by the room's own turn: a message accepted since the room was read is not part of this prompt.
    const stored = await recentMessages(reader, room.id, room.turnIndex, MEMORY_MESSAGES);
    const cipher = cipherOf(this.#platform, room);
    const messages = stored.map(({ turn, sender, sealedText }) => ({
      turn,
      sender: wireAgent(sender),
      text: cipher.open(turn, sealedText),
    }));
    this.#remember(room.id, room.turnIndex, messages, cipher);
    return messages;
  }

  /** To seal the next message with; where a conversation is going on, its key need not be opened again. */
  cipher(room: Room): RoomCipher {
    return this.#rooms.get(room.id)?.cipher ?? cipherOf(this.#platform, room);
  }

  /** A message was committed. */
  add(roomId: string, message: BundleMessage): void {
    const known = this.#rooms.get(roomId);
    if (known?.turnIndex !== message.turn) return;
    const messages = [...known.messages, message].slice(-MEMORY_MESSAGES);
    this.#remember(roomId, message.turn + 1, messages, known.cipher);
  }

  forget(roomId: string): void {
    const known = this.#rooms.get(roomId);
    if (!known) return;
    this.#rooms.delete(roomId);
    this.#chars -= known.chars;
  }

  forgetIdle(): void {
    const before = this.#platform.clock.now() - IDLE_MS;
    for (const [roomId, { usedAt }] of this.#rooms) {
      if (usedAt > before) return;
      this.forget(roomId);
    }
  }

  #remember(roomId: string, turnIndex: number, messages: readonly BundleMessage[], cipher: RoomCipher): void {
    this.forget(roomId);
    const chars = messages.reduce((sum, { text }) => sum + text.length, 0);
    this.#chars += chars;
    this.#keep(roomId, { turnIndex, messages, cipher, chars, usedAt: 0 });
    for (const oldest of this.#rooms.keys()) {
      if (this.#chars <= MOST_CHARS) return;
      this.forget(oldest);
    }
  }

  #keep(roomId: string, remembered: Remembered): void {
    remembered.usedAt = this.#platform.clock.now();
    this.#rooms.delete(roomId);
    this.#rooms.set(roomId, remembered);
  }
}
