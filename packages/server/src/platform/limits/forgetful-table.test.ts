import { describe, expect, test } from 'vitest';
import { ForgetfulTable } from './forgetful-table.ts';

describe('forgetful table', () => {
  test('stays within a small multiple of what matters, by its own use alone', () => {
    const table = new ForgetfulTable<number>((expires, now) => expires <= now);
    let largest = 0;
    for (let now = 0; now < 100_000; now++) {
      table.set(`key ${now}`, now + 500, now);
      largest = Math.max(largest, table.size);
    }
    expect(largest).toBeLessThanOrEqual(1500);
  });

  test('shrinks again after a burst of entries that stayed long', () => {
    const table = new ForgetfulTable<number>((expires, now) => expires <= now);
    for (let i = 0; i < 10_000; i++) table.set(`burst ${i}`, 50_000, 0);
    expect(table.size).toBe(10_000);
    for (let i = 0; i < 10_000; i++) table.set(`later ${i}`, 60_000 + i, 60_000 + i);
    expect(table.size).toBeLessThan(10);
  });

  test('never forgets what matters', () => {
    const table = new ForgetfulTable<number>(() => false);
    for (let i = 0; i < 1000; i++) table.set(`key ${i}`, i, i);
    table.forgetAll(9999);
    expect(table.size).toBe(1000);
    expect(table.get('key 7')).toBe(7);
  });
});
