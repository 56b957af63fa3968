import { CliError, EXIT } from './cli-error.ts';

/** A moment as a person gives it: an instant, or what the clock on the wall of a zone will show. */
export interface When {
  /** For the API: with an offset, or without one and then meant in `zone`. */
  readonly at: string;
  readonly zone: string;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `2026-11-15T09:00Z`, `in 10m`, `tomorrow 9:00`, `18:30` (today, or tomorrow when that has passed). */
export function whenFrom(text: string, now: Date, zone = localZone()): When {
  const said = text.trim();
  const delay = /^in (\d{1,6}) ?([smhd])$/i.exec(said);
  if (delay) {
    const ms = Number(delay[1]) * (UNITS[(delay[2] ?? '').toLowerCase()] ?? 0);
    return { at: new Date(now.getTime() + ms).toISOString(), zone };
  }
  const wall = /^(?:(today|tomorrow) )?(\d{1,2}):(\d{2})$/i.exec(said);
  if (wall) return onTheWall(wall, now, zone);
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(said)) return { at: said, zone };
  throw new CliError('invalid_time', `parley: ${JSON.stringify(text)} is no time`, {
    exitCode: EXIT.misuse,
    hint: 'say 2026-11-15T09:00Z, "in 10m", "tomorrow 9:00" or 18:30',
  });
}

/** For calls that take instants only: without an offset it is meant in the zone of this machine. */
export function instantFrom(said: string): string {
  const at = new Date(whenFrom(said, new Date()).at);
  if (Number.isNaN(at.getTime()))
    throw new CliError('invalid_time', `parley: ${JSON.stringify(said)} is no time`);
  return at.toISOString();
}

/** What the clock on the wall shows then, with the zone it is in. */
export function shownHere(instant: string): string {
  const zone = localZone();
  return `${wallTime(new Date(instant), zone)} ${zone}`;
}

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function onTheWall([, day, hours = '', minutes = '']: RegExpExecArray, now: Date, zone: string): When {
  const time = `${hours.padStart(2, '0')}:${minutes}:00`;
  const [today = '', clock = ''] = wallTime(now, zone).split(' ');
  const isNext = day?.toLowerCase() === 'tomorrow' || (day === undefined && time <= clock);
  return { at: `${isNext ? dayAfter(today) : today}T${time}`, zone };
}

/** `2026-11-15 09:00:00`: the Swedes write it like the standard. */
export function wallTime(instant: Date, zone: string): string {
  try {
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    }).format(instant);
  } catch (error) {
    throw new CliError('invalid_timezone', `parley: there is no time zone ${JSON.stringify(zone)}`, {
      exitCode: EXIT.misuse,
      hint: 'name one as Europe/Lisbon or UTC',
      cause: error,
    });
  }
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}
