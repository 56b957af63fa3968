import { useSyncExternalStore } from 'react';
import { zone } from '../theme.ts';

let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const tell of listeners) tell();
}, 5_000);

const useNow = (): number =>
  useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => now,
  );

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
  if (!near) return new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short', timeZone: zone() });
  if (text === '') return 'just now';
  return at > since ? `in ${text}` : `${text} ago`;
}

export const clock = (at: number | string): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: zone() });

export const whole = (at: number | string): string => new Date(at).toLocaleString([], { timeZone: zone() });

/** Relative near by, whole on hover. */
export function Moment({ at }: { readonly at: string | null | undefined }) {
  const since = useNow();
  if (at === null || at === undefined) return <span className="soft">never</span>;
  return (
    <time dateTime={at} title={whole(at)}>
      {inWords(Date.parse(at), since)}
    </time>
  );
}
