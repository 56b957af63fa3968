import { describe, expect, test } from 'vitest';
import { ageMs, beatState, isFresh, latestBeat, liveState, targetSession } from './freshness.ts';

const THRESHOLD = 120_000;

describe('freshness', () => {
  test.each([
    [119_900, true],
    [119_999, true],
    [120_000, false],
    [120_100, false],
    [-5000, true],
  ])('a beat %i ms ago is fresh: %s', (age, expected) => {
    expect(isFresh(1e6 - age, 1e6, THRESHOLD)).toBe(expected);
  });

  test('a background handler is unknown until it has beaten once', () => {
    expect(beatState(null, 1e6, THRESHOLD)).toBe('unknown');
    expect(beatState(1e6 - 1, 1e6, THRESHOLD)).toBe('fresh');
    expect(beatState(1e6 - THRESHOLD, 1e6, THRESHOLD)).toBe('stale');
  });

  test('the latest of several signs counts, and none from the future', () => {
    expect(latestBeat(100, 40, null, 90)).toBe(90);
    expect(latestBeat(100, 40, 500)).toBe(100);
    expect(latestBeat(100, null)).toBeNull();
    expect(ageMs(500, 100)).toBe(0);
  });
});

describe('freshness › target session', () => {
  const main = { label: 'main', isDefault: true, beatAt: 10 };
  const other = { label: 'other', isDefault: false, beatAt: 20 };
  const third = { label: 'third', isDefault: false, beatAt: 15 };

  test('is the label asked for, the default, or whoever beat last', () => {
    expect(targetSession([main, other], 'other')).toBe(other);
    expect(targetSession([other, main], null)).toBe(main);
    expect(targetSession([third, other], null)).toBe(other);
  });

  test('is none when the label asked for is not attached', () => {
    expect(targetSession([main], 'gone')).toBeUndefined();
    expect(targetSession([], null)).toBeUndefined();
  });

  test('gives the live state', () => {
    expect(liveState(undefined, 1e6, THRESHOLD)).toBe('none');
    expect(liveState({ ...main, beatAt: 1e6 - 119_999 }, 1e6, THRESHOLD)).toBe('fresh');
    expect(liveState({ ...main, beatAt: 1e6 - 120_000 }, 1e6, THRESHOLD)).toBe('stale');
  });
});
