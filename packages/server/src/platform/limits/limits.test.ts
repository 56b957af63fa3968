import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { Limits } from './limits.ts';

describe('limits', () => {
  test('tells the limit that was run into, and the setting that raises it', async () => {
    const limits = new Limits({ clock: new FakeClock(), enabled: true });
    const joins = limits.tokenBucket('joins', { capacity: 1, periodMs: 60_000, setting: 'JOINS' });
    const sends = limits.slidingWindow('sends', { limit: 2, windowMs: 60_000, setting: 'SENDS' });
    await joins.take('a');
    const told = { ok: false, retryAfterSec: 60, told: 'At most 1 a minute (JOINS).' };
    expect(await joins.peek('a')).toEqual(told);
    expect(await joins.take('a')).toEqual(told);
    expect(await sends.take('a')).toEqual({ ok: true });
  });

  test('always passes when switched off', async () => {
    const limits = new Limits({ clock: new FakeClock(), enabled: false });
    const joins = limits.tokenBucket('joins', { capacity: 1, periodMs: 60_000, setting: 'JOINS' });
    for (let i = 0; i < 50; i++) expect(await joins.take('a')).toEqual({ ok: true });
  });

  test('refuses a second limiter of the same name', () => {
    const limits = new Limits({ clock: new FakeClock(), enabled: true });
    limits.tokenBucket('joins', { capacity: 1, periodMs: 60_000, setting: 'JOINS' });
    expect(() => limits.slidingWindow('joins', { limit: 1, windowMs: 1, setting: 'X' })).toThrow(
      'named joins',
    );
  });

  test('gives this machine more by its address, and nobody else', async () => {
    const limits = new Limits({ clock: new FakeClock(), enabled: true, localFactor: 3 });
    const rule = { limit: 1, windowMs: 60_000, setting: 'CALLS' };
    const calls = limits.slidingWindow('calls', { ...rule, byAddress: true });
    const byKey = limits.slidingWindow('keys', rule);
    const passed = async (key: string, limiter = calls): Promise<number> => {
      for (let count = 0; ; count++) if (!(await limiter.take(key)).ok) return count;
    };
    for (const own of ['127.0.0.1', '::1', 'read 127.0.0.1']) expect(await passed(own)).toBe(3);
    for (const other of ['10.0.0.1', 'forwarded-127.0.0.1', 'agent']) expect(await passed(other)).toBe(1);
    expect(await passed('127.0.0.1', byKey)).toBe(1);
    expect(await calls.take('127.0.0.1')).toMatchObject({ told: 'At most 3 a minute (CALLS).' });
    expect(await calls.standing?.('127.0.0.1')).toMatchObject({ limit: 3, remaining: 0 });
  });
});
