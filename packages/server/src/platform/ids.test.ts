import { describe, expect, test } from 'vitest';
import { LOWER_ALPHANUMERIC, type Random, systemRandom, uuid } from './ids.ts';

const giving = (bytes: readonly number[]): Random => ({
  ...systemRandom,
  bytes: (size) => Uint8Array.from(bytes.slice(0, size)),
});

describe('random', () => {
  test('bytes are as many as were asked for, and never the same again', () => {
    for (const size of [0, 1, 16, 64, 65, 5_000]) expect(systemRandom.bytes(size)).toHaveLength(size);
    const given = Array.from({ length: 2_000 }, () => systemRandom.hex(16));
    expect(new Set(given).size).toBe(2_000);
    for (const text of given) expect(text).toMatch(/^[0-9a-f]{32}$/);
  });

  test('texts have every letter of the alphabet, each as often as the others', () => {
    expect(systemRandom.text(0, 'ab')).toBe('');
    for (const length of [1, 7, 40, 100]) {
      expect(systemRandom.text(length, LOWER_ALPHANUMERIC)).toMatch(new RegExp(`^[a-z0-9]{${length}}$`));
    }
    // Of 256 bytes those past 200 stand for no letter; taken all the same, the first letters would come twice as often.
    const alphabet = Array.from({ length: 200 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('');
    const counts = new Map<string, number>();
    for (const letter of systemRandom.text(200_000, alphabet)) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(200);
    // A thousand each; chance is off by three hundred once in 10^20 runs.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(300);
  });

  test('numbers lie between nought and one', () => {
    const given = Array.from({ length: 2_000 }, () => systemRandom.unit());
    expect(Math.min(...given)).toBeGreaterThanOrEqual(0);
    expect(Math.min(...given)).toBeLessThan(0.05);
    expect(Math.max(...given)).toBeGreaterThan(0.95);
    expect(Math.max(...given)).toBeLessThan(1);
  });

  test('a UUID says its version and its variant, and all else in it is random', () => {
    const [zeros, ones] = [Array.from({ length: 16 }, () => 0), Array.from({ length: 16 }, () => 0xff)];
    expect(uuid(giving(zeros))).toBe('00000000-0000-4000-8000-000000000000');
    expect(uuid(giving(ones))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
    expect(uuid(giving(zeros.map((_, n) => n)))).toBe('00010203-0405-4607-8809-0a0b0c0d0e0f');
  });
});
