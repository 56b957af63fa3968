/** Hex and strict base64, for Node and browsers alike. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Int8Array(128).fill(-1);
for (let value = 0; value < 64; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

export function bytesToHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

/** The caller has checked that `hex` is an even number of hex digits. */
export function hexToBytes(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

export function bytesToBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const left = bytes.length - at;
    parts.push(
      ALPHABET.charAt(group >> 18),
      ALPHABET.charAt((group >> 12) & 63),
      left > 1 ? ALPHABET.charAt((group >> 6) & 63) : '=',
      left > 2 ? ALPHABET.charAt(group & 63) : '=',
    );
  }
  return parts.join('');
}

/**
 * `undefined` unless the text is exactly what `bytesToBase64` writes. Tolerant decoders ignore the spare bits of the
 * last character, which would let somebody alter a sealed text without the tag noticing.
 */
export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array(Math.floor((digits * 6) / 8));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (let position = 0; position < digits; position++) {
    const value = VALUES[text.charCodeAt(position)] ?? -1;
    if (value < 0) return undefined;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = held >> bits;
    }
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}
