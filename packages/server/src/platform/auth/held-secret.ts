import { timingSafeEqual } from 'node:crypto';

const LONGEST = 256;
/** One place for what callers give us: comparing must not cost an allocation per request. */
const scratch = Buffer.alloc(LONGEST);

/**
 * A short-lived ASCII secret held in memory, compared in constant time on every request. Much cheaper than hashing
 * what the caller gives; what goes to a disk is hashed instead.
 */
export class HeldSecret {
  readonly #text: string;
  readonly #bytes: Buffer;

  constructor(text: string) {
    if (text.length > LONGEST) throw new RangeError(`a held secret has at most ${LONGEST} characters`);
    this.#text = text;
    // Not from the pool: a secret that lives for hours would keep the 8 KiB around it.
    this.#bytes = Buffer.alloc(text.length);
    this.#bytes.write(text, 'latin1');
  }

  matches(given: unknown): boolean {
    if (typeof given !== 'string' || given.length !== this.#text.length) return false;
    scratch.write(given, 0, 'latin1');
    // Characters beyond Latin-1 lose their upper half in the scratch, hence the second look at what has matched.
    return timingSafeEqual(scratch.subarray(0, given.length), this.#bytes) && given === this.#text;
  }

  /** The memory that stays for as long as this does. */
  get heldBytes(): number {
    return this.#bytes.buffer.byteLength;
  }

  /** For printing by accident: nothing. */
  toJSON(): string {
    return '[secret]';
  }
}
