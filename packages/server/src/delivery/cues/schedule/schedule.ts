import type { CueSchedule } from '@parley/protocol/delivery/types';
import { DeliveryError } from '../../../wire/delivery/errors.ts';
import type { CueRow } from '../record/cue-row.ts';
import { cronLine, nextMoment } from './cron.ts';
import { instantOf, isZone } from './zone.ts';
import { HOUR } from '../../../platform/units.ts';

/** When a cue is due: at one moment, or at those of a cron line. */
export type Schedule = Pick<CueRow, 'schedule_type' | 'cron' | 'at' | 'timezone'>;

const wrong = (message: string): DeliveryError => new DeliveryError('invalid_schedule', message);

/** What a client sent, checked. A moment in the past is judged by who stores it. */
export function readSchedule({ type, cron, at, timezone }: CueSchedule, now: number): Schedule {
  if (type !== 'recurring' && type !== 'once') throw wrong('schedule.type must be recurring or once');
  if (!isZone(timezone)) throw new DeliveryError('invalid_timezone', `there is no time zone ${timezone}`);
  if (type === 'once') {
    if (at == null) throw wrong('a schedule of type once needs at');
    return { schedule_type: type, cron: null, at: momentOf(at, timezone), timezone };
  }
  if (cron == null) throw wrong('a schedule of type recurring needs cron');
  const schedule: Schedule = { schedule_type: type, cron: cron.trim(), at: null, timezone };
  if (!cronLine(cron)) {
    throw wrong('cron must be five fields (minute hour day month weekday), or @hourly, @daily, …');
  }
  if (nextAfter(schedule, now) === undefined) throw wrong('this cron line never comes due');
  return schedule;
}

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** RFC 3339; without an offset it is what the clock of the zone shows. */
function momentOf(text: string, zone: string): number {
  const [found, date = '', clock = '', seconds = ':00', offset] = TIME.exec(text.trim()) ?? [];
  const wall = found === undefined ? Number.NaN : Date.parse(`${date}T${clock}${seconds}Z`);
  // A day that the month does not have would be read as one of the next.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(date)) {
    throw wrong('schedule.at must be an RFC 3339 time');
  }
  if (offset === undefined) return instantOf(zone, wall);
  const given = Date.parse(`${date}T${clock}${seconds}${offset.toUpperCase()}`);
  if (Number.isNaN(given)) throw wrong('schedule.at must be an RFC 3339 time');
  return given;
}

/** The first due time after a moment; undefined when there is none any more. */
export function nextAfter(schedule: Schedule, after: number): number | undefined {
  const { cron, at, timezone } = schedule;
  if (cron === null) return at !== null && at > after ? at : undefined;
  const line = cronLine(cron);
  return line && nextMoment(line, timezone, after);
}

/** The next so many, up to a moment if one is given: none beyond it is looked for but the first. */
export function nextTimes(
  schedule: Schedule,
  after: number,
  count: number,
  upTo = Number.POSITIVE_INFINITY,
): number[] {
  const times: number[] = [];
  for (let at = nextAfter(schedule, after); at !== undefined && at <= upTo; at = nextAfter(schedule, at)) {
    times.push(at);
    if (times.length >= count) break;
  }
  return times;
}

const FIRST_LOOK = 2 * HOUR;

/** The latest due times after one moment and up to another, the earliest first. However long it was, few are looked at. */
export function latestTimes(schedule: Schedule, after: number, upTo: number, limit: number): number[] {
  for (let back = FIRST_LOOK; ; back *= 2) {
    const from = Math.max(after, upTo - back);
    const times = nextTimes(schedule, from, Number.POSITIVE_INFINITY, upTo);
    if (times.length >= limit || from === after) return times.slice(-limit);
  }
}
