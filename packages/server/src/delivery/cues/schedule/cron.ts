import { Cron } from 'croner';
import { firstShift, instantOf, offsetAt, wallAt } from './zone.ts';
import { DAY } from '../../../platform/units.ts';

const KEPT = 1_000;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

/** The library knows more: seconds, last days, nth weekdays. Those would be promises that no other client understands. */
const FIELD = /^[\d*,/?-]+$/;
/** A step that says from where on (`5/15`) is one that others write; one of nothing (`/15`) is none. */
const STEP_OF_NOTHING = /(?:^|,)\//;
const MONTH_NAMES = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\b/gi;
const DAY_NAMES = /\b(?:sun|mon|tue|wed|thu|fri|sat)\b/gi;

/** A cron line, read as times of a clock on the wall; which moments those are says the zone. */
export interface CronLine {
  readonly walls: Cron;
  /** Every hour, or each so many: follows the time that passes, not the one that is shown. */
  readonly hourly: boolean;
}

const lines = new Map<string, CronLine>();

/** Undefined when it is none. */
export function cronLine(text: string): CronLine | undefined {
  const known = lines.get(text);
  if (known) return known;
  const made = parse(text);
  if (!made) return undefined;
  if (lines.size >= KEPT) lines.clear();
  lines.set(text, made);
  return made;
}

function parse(text: string): CronLine | undefined {
  const given = text.trim();
  const fields = (NICKNAMES[given.toLowerCase()] ?? given).split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const plain = [minute, hour, day, month.replace(MONTH_NAMES, '1'), weekday.replace(DAY_NAMES, '1')];
  if (!plain.every((field) => FIELD.test(field) && !STEP_OF_NOTHING.test(field))) return undefined;
  const pattern = fields.join(' ').replaceAll('?', '*');
  try {
    // At no offset, so that the library's own idea of daylight saving never comes into it.
    const walls = new Cron(pattern, { mode: '5-part', utcOffset: 0, paused: true, sloppyRanges: true });
    return { walls, hourly: /[*?]|^0\//.test(hour) };
  } catch {
    return undefined;
  }
}

/** The next moment after one; undefined when there is none, as on the 30th of February. */
export function nextMoment(line: CronLine, zone: string, after: number): number | undefined {
  return line.hourly ? nextByElapsed(line, zone, after) : nextByWall(line, zone, after);
}

/** Named hours: once a day each. What falls into the gap of spring comes after it, what comes twice in autumn comes once. */
function nextByWall(line: CronLine, zone: string, after: number): number | undefined {
  const steady = offsetAt(zone, after - DAY) === offsetAt(zone, after + DAY);
  let wall: number | undefined = wallAt(zone, after) - (steady ? 0 : DAY);
  for (;;) {
    wall = nextWall(line, wall);
    if (wall === undefined) return undefined;
    const moment = instantOf(zone, wall);
    if (moment > after) return moment;
  }
}

/** Every matching time that the clock shows, however often it shows it. */
function nextByElapsed(line: CronLine, zone: string, after: number): number | undefined {
  let from = after;
  let first = after;
  for (;;) {
    const offset = offsetAt(zone, from);
    const wall = nextWall(line, first + offset);
    if (wall === undefined) return undefined;
    const moment = wall - offset;
    const shift = offsetAt(zone, moment) === offset ? undefined : firstShift(zone, from, moment);
    if (shift === undefined) return moment;
    // From the moment the clock was moved on, that one included.
    from = shift;
    first = shift - 1;
  }
}

function nextWall({ walls }: CronLine, after: number): number | undefined {
  return walls.nextRun(new Date(after))?.getTime();
}
