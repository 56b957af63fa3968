import { element } from './dom.ts';

const MINUTE_MS = 60_000;

/** Relative near by, the clock later the same day, the date after that. */
export function momentInWords(at: number, now: number): string {
  const minutes = Math.floor((now - at) / MINUTE_MS);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return clockInWords(at, now);
}

/** The clock, with the date where the day is another. Does not age. */
export function clockInWords(at: number, now: number): string {
  const then = new Date(at);
  const clock = then.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  if (isSameDay(at, now)) return clock;
  return `${then.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${clock}`;
}

export function dayInWords(at: number, now: number): string {
  if (isSameDay(at, now)) return 'Today';
  return new Date(at).toLocaleDateString([], { weekday: 'long', day: 'numeric', month: 'long' });
}

export function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** Every moment shown comes from here, so that all of them can be brought up to date together. */
export function timeElement(at: number): HTMLTimeElement {
  const time = element('time', '', momentInWords(at, Date.now()));
  time.dateTime = new Date(at).toISOString();
  time.title = new Date(at).toLocaleString();
  return time;
}

export function refreshTimes(within: HTMLElement): void {
  const now = Date.now();
  for (const time of within.querySelectorAll('time')) {
    const words = momentInWords(Date.parse(time.dateTime), now);
    if (time.textContent !== words) time.textContent = words;
  }
}
