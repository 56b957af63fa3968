import { describe, expect, test } from 'vitest';
import { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes } from './bytes.ts';

/** Every value of a byte, at every place of a group. */
const SAMPLES = Array.from({ length: 40 }, (_, size) =>
  Uint8Array.from({ length: size }, (__, at) => (at * 97 + size * 31) % 256),
).concat(Uint8Array.from({ length: 768 }, (_, at) => Math.floor(at / 3)));

describe('bytes as text', () => {
  test('are what everybody else writes, and are read back', () => {
    for (const bytes of SAMPLES) {
      expect(bytesToHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
      expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes);
      expect(bytesToBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      expect(base64ToBytes(bytesToBase64(bytes))).toEqual(bytes);
    }
  });

  test.each([
    ['a part of a group', 'QUJ'],
    ['no padding', 'QQ'],
    ['padding in the middle', 'QQ==QUJD'],
    ['nothing but padding', '===='],
    ['another alphabet', 'QUJ_'],
    ['a letter that is none of them', 'QUJé'],
    ['one that is far from them', 'QUJ\u{4e00}'],
    ['a line end', 'QUJ\n'],
    ['bits to spare before two of padding', 'QR=='],
    ['bits to spare before one', 'QUK='],
  ])('with %s are not read', (_, text) => {
    expect(base64ToBytes(text)).toBeUndefined();
  });
});
