import { describe, expect, test } from 'vitest';
import { bucketedSeen, derivedStatus, lastSeenRelative } from './presence.ts';
import { slugFromTask } from '../sessions/slug-from-task.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 7, 30);
const S = 1000;

describe('presence', () => {
  test.each([
    [0, 'online'],
    [300 * S, 'online'],
    [300 * S + 1, 'away'],
    [1800 * S, 'away'],
    [1800 * S + 1, 'offline'],
  ])('seen %i ms ago is %s', (age, status) => {
    expect(derivedStatus('online', NOW - age, NOW)).toBe(status);
  });

  test('never seen is offline, and what the agent says of its absence wins', () => {
    expect(derivedStatus('online', null, NOW)).toBe('offline');
    expect(derivedStatus('away', NOW, NOW)).toBe('away');
    expect(derivedStatus('offline', NOW, NOW)).toBe('offline');
  });

  test.each([
    [0, 'active now'],
    [59_999, 'active now'],
    [60_000, '1m ago'],
    [3_599_999, '59m ago'],
    [3_600_000, '1h ago'],
    [86_399_999, '23h ago'],
    [86_400_000, '1d ago'],
    [40 * 86_400_000, '40d ago'],
    [-1, 'active now'],
  ])('%i ms is %j', (age, words) => {
    expect(lastSeenRelative(NOW - age, NOW)).toBe(words);
  });

  test('never', () => {
    expect(lastSeenRelative(null, NOW)).toBe('never');
    expect(bucketedSeen(null)).toBe('never');
  });

  test('buckets are five minutes', () => {
    expect(bucketedSeen(NOW)).toBe('2026-01-01T12:05:00.000Z');
    expect(bucketedSeen(NOW + 60_000)).toBe('2026-01-01T12:05:00.000Z');
    expect(bucketedSeen(NOW + 150_000)).toBe('2026-01-01T12:10:00.000Z');
  });
});

describe('slug from task', () => {
  test.each([
    ['max-cue-mac-app-main-live', 'max', 'main', 'cue-mac-app'],
    ['max-cue-mac-app-live', 'max', 'main', 'cue-mac-app'],
    ['Max Cue Mac App (Main) LIVE', 'max', 'main', 'cue-mac-app'],
    ['cue-mac-app-bg', 'max', null, 'cue-mac-app'],
    ['cue-mac-app-background', 'max', null, 'cue-mac-app'],
    ['max-scout-laptop-live', 'max', 'laptop', 'scout'],
    ['max-scout-laptop-live', 'max', 'other', 'scout-laptop'],
    ['max-scout-main-live', 'max', 'laptop', 'scout'],
    ['live', 'max', 'main', 'live'],
    ['max-live', 'max', 'main', 'max'],
    ['maxine-live', 'max', 'main', 'maxine'],
    ['main-live', 'max', 'main', 'main'],
    ['max-main-live', 'max', 'main', 'max'],
    ['delive', 'max', 'main', 'delive'],
  ])('%s of %s with label %s → %s', (task, owner, label, slug) => {
    expect(slugFromTask(task, owner, label)).toBe(slug);
  });
});
