import { HOUR } from '../../../platform/units.ts';

/** More than any zone ever moved at once, a whole skipped day included. */
const AROUND = 48 * HOUR;
const KEPT = 500;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Of the zone database by name; offsets and abbreviations of our own making are none. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formats.size >= KEPT) formats.clear();
  formats.set(zone, made);
  return made;
}

const SHOWN = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)/;

/** How far the clock on the wall is ahead of UTC, in milliseconds. */
export function offsetAt(zone: string, instant: number): number {
  if (zone === 'UTC') return 0;
  const second = Math.floor(instant / 1000) * 1000;
  const [, month, day, year, hour, minute, sec] = SHOWN.exec(formatOf(zone).format(second)) ?? [];
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(sec),
  );
  return wall - second;
}

/** What the clock on the wall shows, as if it were UTC. */
export const wallAt = (zone: string, instant: number): number => instant + offsetAt(zone, instant);

/** The first moment after `from`, up to `to`, at which the clock is moved; undefined when it is not. */
export function firstShift(zone: string, from: number, to: number): number | undefined {
  const before = offsetAt(zone, from);
  for (let start = from; start < to; start += AROUND / 2) {
    const end = Math.min(start + AROUND / 2, to);
    if (offsetAt(zone, end) !== before) return shiftBetween(zone, start, end);
  }
  return undefined;
}

/** The clock is moved once between the two: when. */
function shiftBetween(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The moment at which a clock on the wall shows a time.
 *
 * | that time | is |
 * | --- | --- |
 * | occurs once | then |
 * | occurs twice, for the clock is set back | the first of both |
 * | never occurs, for the clock is set forward over it | the first moment after the gap |
 */
export function instantOf(zone: string, wall: number): number {
  const before = offsetAt(zone, wall - AROUND);
  const after = offsetAt(zone, wall + AROUND);
  const shown = [wall - before, wall - after].filter((instant) => wallAt(zone, instant) === wall);
  if (shown.length > 0) return Math.min(...shown);
  return shiftBetween(zone, wall - Math.max(before, after), wall - Math.min(before, after));
}

/** As RFC 3339 writes it, with the offset of the moment. */
export function localTime(zone: string, instant: number): string {
  const offset = offsetAt(zone, instant);
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const sign = offset < 0 ? '-' : '+';
  const wall = new Date(instant + offset).toISOString().slice(0, 19);
  return `${wall}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');
