import { describe, expect, test } from 'vitest';
import { DeliveryError } from '../../../wire/delivery/errors.ts';
import { latestTimes, nextTimes, readSchedule } from './schedule.ts';
import { localTime } from './zone.ts';

const LA = 'America/Los_Angeles';
const NOW = Date.parse('2026-01-01T00:00:00Z');

const times = (cron: string, after: string, count: number, timezone = LA): string[] => {
  const schedule = readSchedule({ type: 'recurring', cron, timezone }, NOW);
  return nextTimes(schedule, Date.parse(after), count).map((at) => localTime(timezone, at));
};

const refusal = (schedule: Parameters<typeof readSchedule>[0]): string => {
  try {
    readSchedule(schedule, NOW);
  } catch (error) {
    if (error instanceof DeliveryError) return `${error.status} ${error.code}`;
  }
  return 'taken';
};

describe('schedules', () => {
  test('run on the clock of their zone', () => {
    const schedule = readSchedule({ type: 'recurring', cron: '0 9 * * *', timezone: LA }, NOW);
    const [next] = nextTimes(schedule, Date.parse('2026-03-20T10:00:00Z'), 1);
    expect(new Date(next ?? 0).toISOString()).toBe('2026-03-20T16:00:00.000Z');
  });

  test('in spring what falls into the gap comes at its end, once', () => {
    expect(times('30 2 * * *', '2026-03-07T00:00:00Z', 3)).toEqual([
      '2026-03-07T02:30:00-08:00',
      '2026-03-08T03:00:00-07:00',
      '2026-03-09T02:30:00-07:00',
    ]);
    expect(times('0,30 2 * * *', '2026-03-08T00:00:00Z', 3)).toEqual([
      '2026-03-08T03:00:00-07:00',
      '2026-03-09T02:00:00-07:00',
      '2026-03-09T02:30:00-07:00',
    ]);
    expect(times('0 2,3 * * *', '2026-03-08T00:00:00Z', 2)).toEqual([
      '2026-03-08T03:00:00-07:00',
      '2026-03-09T02:00:00-07:00',
    ]);
  });

  test('in autumn what occurs twice comes the first time', () => {
    expect(times('30 1 * * *', '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T01:30:00-07:00',
      '2026-11-02T01:30:00-08:00',
    ]);
    // Asked for in between, and in the hour that comes again.
    expect(times('30 1 * * *', '2026-11-01T08:45:00Z', 1)).toEqual(['2026-11-02T01:30:00-08:00']);
    expect(times('30 1 * * *', '2026-11-01T09:10:00Z', 1)).toEqual(['2026-11-02T01:30:00-08:00']);
  });

  test('lines of every hour follow the time that passes', () => {
    expect(times('30 * * * *', '2026-11-01T07:00:00Z', 5)).toEqual([
      '2026-11-01T00:30:00-07:00',
      '2026-11-01T01:30:00-07:00',
      '2026-11-01T01:30:00-08:00',
      '2026-11-01T02:30:00-08:00',
      '2026-11-01T03:30:00-08:00',
    ]);
    expect(times('*/30 * * * *', '2026-03-08T09:15:00Z', 4)).toEqual([
      '2026-03-08T01:30:00-08:00',
      '2026-03-08T03:00:00-07:00',
      '2026-03-08T03:30:00-07:00',
      '2026-03-08T04:00:00-07:00',
    ]);
    expect(times('0 */2 * * *', '2026-03-08T07:30:00Z', 3)).toEqual([
      '2026-03-08T00:00:00-08:00',
      '2026-03-08T04:00:00-07:00',
      '2026-03-08T06:00:00-07:00',
    ]);
  });

  test.each([
    ['0 0 31 * *', ['2026-01-31', '2026-03-31', '2026-05-31']],
    ['0 0 29 2 *', ['2028-02-29', '2032-02-29', '2036-02-29']],
    ['0 0 13 * 5', ['2026-01-02', '2026-01-09', '2026-01-13']],
    ['0 0 ? * 7', ['2026-01-04', '2026-01-11', '2026-01-18']],
    ['0 0 * jan,Dec MON-tue', ['2026-01-05', '2026-01-06', '2026-01-12']],
    ['@monthly', ['2026-02-01', '2026-03-01', '2026-04-01']],
    ['@Yearly', ['2027-01-01', '2028-01-01', '2029-01-01']],
    ['@weekly', ['2026-01-04', '2026-01-11', '2026-01-18']],
  ])('%s', (cron, days) => {
    expect(times(cron, '2026-01-01T00:00:00Z', 3, 'UTC').map((time) => time.slice(0, 10))).toEqual(days);
  });

  test('a step may say from where on', () => {
    expect(
      times('5/20 9,21 * * *', '2026-06-01T00:00:00Z', 4, 'UTC').map((time) => time.slice(5, 16)),
    ).toEqual(['06-01T09:05', '06-01T09:25', '06-01T09:45', '06-01T21:05']);
    for (const [given, same] of [
      ['0/15 0/6 * * *', '*/15 */6 * * *'],
      ['0 0 1/10 * *', '0 0 1-31/10 * *'],
      ['0 0 * mar/4 mon/2', '0 0 * 3-12/4 1-6/2'],
    ] as const) {
      const autumn = '2026-10-31T12:00:00Z';
      expect(times(given, autumn, 20)).toEqual(times(same, autumn, 20));
    }
  });

  test.each([
    ['* * * * * *', '400 invalid_schedule'],
    ['* * * *', '400 invalid_schedule'],
    ['', '400 invalid_schedule'],
    ['hello', '400 invalid_schedule'],
    ['60 * * * *', '400 invalid_schedule'],
    ['* 24 * * *', '400 invalid_schedule'],
    ['*/0 * * * *', '400 invalid_schedule'],
    ['*/90 * * * *', '400 invalid_schedule'],
    ['/15 * * * *', '400 invalid_schedule'],
    ['5,/15 * * * *', '400 invalid_schedule'],
    ['5/15/2 * * * *', '400 invalid_schedule'],
    ['70/15 * * * *', '400 invalid_schedule'],
    ['0 0 L * *', '400 invalid_schedule'],
    ['0 0 * * 1#2', '400 invalid_schedule'],
    ['0 0 15W * *', '400 invalid_schedule'],
    ['0 0 30 2 *', '400 invalid_schedule'],
    ['0 0 * * 8', '400 invalid_schedule'],
    ['@reboot', '400 invalid_schedule'],
    ['@midnight', '400 invalid_schedule'],
    ['*/5 * * * *', 'taken'],
  ])('the line %j is answered with %s', (cron, answer) => {
    expect(refusal({ type: 'recurring', cron, timezone: 'UTC' })).toBe(answer);
  });

  test.each([
    ['Mars/Olympus', '422 invalid_timezone'],
    ['+01:00', '422 invalid_timezone'],
    ['', '422 invalid_timezone'],
    ['Europe/Berlin', 'taken'],
    ['Etc/GMT+5', 'taken'],
  ])('the zone %j is answered with %s', (timezone, answer) => {
    expect(refusal({ type: 'recurring', cron: '@daily', timezone })).toBe(answer);
  });

  test.each([
    ['2026-07-01T09:00:00', '2026-07-01T16:00:00.000Z'],
    ['2026-07-01 09:00', '2026-07-01T16:00:00.000Z'],
    ['2026-07-01T09:00:00Z', '2026-07-01T09:00:00.000Z'],
    ['2026-07-01t09:00:00.5+02:00', '2026-07-01T07:00:00.500Z'],
    ['2026-03-08T02:30:00', '2026-03-08T10:00:00.000Z'],
    ['2026-11-01T01:30:00', '2026-11-01T08:30:00.000Z'],
  ])('once at %s', (at, instant) => {
    const schedule = readSchedule({ type: 'once', at, timezone: LA }, NOW);
    expect(new Date(schedule.at ?? 0).toISOString()).toBe(instant);
  });

  test.each([
    'soon',
    '2026-02-30T00:00:00',
    '2026-13-01T00:00:00Z',
    '2026-01-01',
    '',
    '2026-01-01T25:00:00Z',
  ])('once at %j is refused', (at) =>
    expect(refusal({ type: 'once', at, timezone: 'UTC' })).toBe('400 invalid_schedule'),
  );

  test('the latest of many missed times are found without walking through all', () => {
    const schedule = readSchedule({ type: 'recurring', cron: '* * * * *', timezone: LA }, NOW);
    const upTo = Date.parse('2036-01-01T00:00:30Z');
    const latest = latestTimes(schedule, NOW, upTo, 100);
    expect(latest).toHaveLength(100);
    expect(new Date(latest.at(-1) ?? 0).toISOString()).toBe('2036-01-01T00:00:00.000Z');
    expect(latest.at(-1)).toBe((latest[0] ?? 0) + 99 * 60_000);
    const rare = readSchedule({ type: 'recurring', cron: '@yearly', timezone: LA }, NOW);
    expect(latestTimes(rare, NOW, upTo, 100)).toHaveLength(10);
  });
});
