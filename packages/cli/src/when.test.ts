import { describe, expect, test } from 'vitest';
import { whenFrom } from './when.ts';

/** 23:30 of the day before in Lisbon, 18:30 in New York. */
const NOW = new Date('2026-01-14T23:30:00Z');

describe('times as people say them', () => {
  test.each([
    ['2026-11-15T09:00Z', 'UTC', '2026-11-15T09:00Z'],
    ['2026-11-15T09:00', 'Europe/Lisbon', '2026-11-15T09:00'],
    ['in 10m', 'UTC', '2026-01-14T23:40:00.000Z'],
    ['in 2 h', 'UTC', '2026-01-15T01:30:00.000Z'],
    ['tomorrow 9:00', 'Europe/Lisbon', '2026-01-15T09:00:00'],
    ['tomorrow 9:00', 'Asia/Tokyo', '2026-01-16T09:00:00'],
    ['18:31', 'America/New_York', '2026-01-14T18:31:00'],
    ['18:30', 'America/New_York', '2026-01-15T18:30:00'],
    ['today 18:00', 'America/New_York', '2026-01-14T18:00:00'],
  ])('%s in %s is %s', (said, zone, at) => {
    expect(whenFrom(said, NOW, zone)).toEqual({ at, zone });
  });

  test.each(['', 'soon', 'in 10 fortnights', '2026-11-15', 'tomorrow'])('%j is none', (said) => {
    expect(() => whenFrom(said, NOW, 'UTC')).toThrow(/is no time/);
  });

  test('a zone nobody has is told', () => {
    expect(() => whenFrom('tomorrow 9:00', NOW, 'Mars/Olympus')).toThrow(/no time zone "Mars\/Olympus"/);
  });
});
