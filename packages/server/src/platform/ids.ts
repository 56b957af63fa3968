import { randomBytes } from 'node:crypto';

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

/** A call to the generator costs more than the bytes, so small portions are cut from larger ones. */
const POOL_BYTES = 4096;
const LARGEST_PORTION = 64;
let pool = Buffer.alloc(0);

function portion(size: number): Uint8Array<ArrayBuffer> {
  if (size > LARGEST_PORTION) return randomBytes(size);
  if (pool.length < size) pool = randomBytes(POOL_BYTES);
  const bytes = new Uint8Array(pool.subarray(0, size));
  // What was given out must not be found here again.
  pool.fill(0, 0, size);
  pool = pool.subarray(size);
  return bytes;
}

export const systemRandom: Random = {
  bytes: portion,
  hex: (size) => Buffer.from(portion(size)).toString('hex'),
  text(length, alphabet) {
    // Bytes past the last whole multiple of the alphabet are thrown away, or its first letters would be likelier.
    const limit = 256 - (256 % alphabet.length);
    let out = '';
    while (out.length < length) {
      for (const byte of portion(length - out.length + 8)) {
        if (byte < limit && out.length < length) out += alphabet[byte % alphabet.length];
      }
    }
    return out;
  },
  unit() {
    const { buffer } = portion(4);
    return new DataView(buffer).getUint32(0) / 2 ** 32;
  },
};

/** Random bytes in letters that fit into URLs and file names: the text of a secret. */
export const randomText = (random: Random, bytes: number): string =>
  Buffer.from(random.bytes(bytes)).toString('base64url');

/** A random UUID, version 4, lower case. */
export function uuid(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x40, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
