import { isoSeconds } from '@parley/protocol/iso-seconds';
import { zone } from '../theme.ts';
import { SharedValue } from './shared-value.ts';

const now = new SharedValue(Date.now());
setInterval(() => now.set(Date.now()), 5_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `3 min ago`, `in 2 h`, and the date where that would say little. */
function inWords(at: number, since: number): string {
  const away = Math.abs(since - at);
  const [text, near] =
    away < MINUTE
      ? [at > since ? 'a moment' : '', true]
      : away < HOUR
        ? [`${Math.round(away / MINUTE)} min`, true]
        : away < DAY
          ? [`${Math.round(away / HOUR)} h`, true]
          : ['', false];
  if (!near) return dateOf(at);
  if (text === '') return 'just now';
  return at > since ? `in ${text}` : `${text} ago`;
}

/** How long so many seconds are: `40 s`, `3 min`, `5 h`, `12 days`. */
export function inWordsFor(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export const clock = (at: number | string): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: zone() });

/** Of a line of hours: without seconds, and without halves of the day. */
export const minuteOf = (at: number): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone() });

/** Of a line of days. */
export const dateOf = (at: number): string =>
  new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short', timeZone: zone() });

/** `2026-11-17T06:00:00+00:00`, the clock of a zone, as people write it. */
export const wallWords = (local: string): string => local.slice(0, 16).replace('T', ' ');

/** The same, near by: `Wed 06:00`. */
export const wallSoon = (local: string): string => {
  const shown = new Date(`${local.slice(0, 19)}Z`).toLocaleDateString([], { weekday: 'short', timeZone: 'UTC' });
  return `${shown} ${local.slice(11, 16)}`;
};

/** A day in a row of days. */
export const shortDay = (at: string): string =>
  new Date(at).toLocaleDateString([], { weekday: 'short', day: 'numeric', month: 'short', timeZone: zone() });

const day = (date: Date): string =>
  date.toLocaleDateString([], { weekday: 'long', day: 'numeric', month: 'long', timeZone: zone() });

/** The day as an agenda names it. */
export function dayOf(at: string): string {
  const named = day(new Date(at));
  if (named === day(new Date())) return `Today, ${named}`;
  return named === day(new Date(Date.now() + DAY)) ? `Tomorrow, ${named}` : named;
}

export const whole = (at: number | string): string => new Date(at).toLocaleString([], { timeZone: zone() });

/** What a field for a time shows: the clock of the person's zone. */
export function wallIn(ms: number): string {
  const at = new Date(Date.now() + ms);
  const shown = zone() === 'UTC' ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shown.toISOString().slice(0, 16);
}

/** And back. */
export const instantOf = (wall: string): string =>
  isoSeconds(Date.parse(zone() === 'UTC' ? `${wall}Z` : wall));

/** Relative near by, whole on hover. */
export function Moment({ at }: { readonly at: string | null | undefined }) {
  const since = now.use();
  if (at === null || at === undefined) return <span className="soft">never</span>;
  return (
    <time dateTime={at} title={whole(at)}>
      {inWords(Date.parse(at), since)}
    </time>
  );
}
