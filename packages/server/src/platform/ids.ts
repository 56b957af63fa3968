import { randomBytes, randomFillSync } from 'node:crypto';

/** The only source of randomness, injected so that a test can repeat a run. */
export interface Random {
  bytes(size: number): Uint8Array;
  hex(size: number): string;
  /** `length` characters of `alphabet`, each equally likely. */
  text(length: number, alphabet: string): string;
  /** A float in [0, 1), for jitter. */
  unit(): number;
}

export const LOWER_ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyz0123456789';
export const ALPHANUMERIC = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER_ALPHANUMERIC}`;

export const systemRandom: Random = {
  bytes: (size) => randomBytes(size),
  hex: (size) => randomBytes(size).toString('hex'),
  text(length, alphabet) {
    // Bytes past the last whole multiple of the alphabet are thrown away, or its first letters would be likelier.
    const limit = 256 - (256 % alphabet.length);
    let out = '';
    while (out.length < length) {
      for (const byte of randomBytes(length - out.length + 8)) {
        if (byte < limit && out.length < length) out += alphabet[byte % alphabet.length];
      }
    }
    return out;
  },
  unit() {
    const word = new Uint32Array(1);
    randomFillSync(word);
    return (word[0] ?? 0) / 2 ** 32;
  },
};

/** A random UUID, version 4, lower case. */
export function uuid(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x40, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
