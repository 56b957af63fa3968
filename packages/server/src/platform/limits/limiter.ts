import { DAY, HOUR, MINUTE } from '../units.ts';

/** How long to wait, in whole seconds (at least one), and for what. */
export interface Wait {
  readonly retryAfterSec: number;
  /** The limit in words, with the setting that raises it. */
  readonly told?: string;
}

/** What a limiter says: go on, or come back later. */
export type LimitVerdict = { readonly ok: true } | ({ readonly ok: false } & Wait);

/** How a key stands with a limiter. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** When the oldest unit that still counts stops doing so. */
  readonly moreAfterMs: number;
}

/** A limiter shared between nodes answers with a promise, one in memory at once: callers await either. */
export interface Limiter {
  /** Spends `cost` for `key` if it is there; a refusal spends nothing. */
  take(key: string, cost?: number): LimitVerdict | Promise<LimitVerdict>;
  /** What `take` would say, spending nothing: for limits that count only what was accepted in the end. */
  peek(key: string, cost?: number): LimitVerdict | Promise<LimitVerdict>;
  /** How far a key is from the limit, where that can be said; undefined when nothing is counted. */
  standing?(key: string): Standing | undefined | Promise<Standing | undefined>;
}

/** A limiter of this process. */
export interface MemoryLimiter extends Limiter {
  take(key: string, cost?: number): LimitVerdict;
  peek(key: string, cost?: number): LimitVerdict;
}

export const PASSED: LimitVerdict = { ok: true };

const PERIODS: ReadonlyMap<number, string> = new Map([
  [MINUTE, 'a minute'],
  [HOUR, 'an hour'],
]);

/** A limit in words: `At most 10 an hour (PARLEY_RL_CHANNELS_PER_HOUR).` Without a period, at a time. */
export function toldLimit(limit: number, periodMs: number | undefined, setting?: string): string {
  const period = periodMs === undefined ? 'at a time' : (PERIODS.get(periodMs) ?? `in ${periodMs / 1000} s`);
  return `At most ${limit} ${period}${setting === undefined ? '' : ` (${setting})`}.`;
}

export function refused(waitMs: number): LimitVerdict {
  return { ok: false, retryAfterSec: Math.max(1, Math.ceil(Math.min(waitMs, LONGEST_WAIT) / 1000)) };
}

/** A limit of zero never passes; it still has to name a time. */
const LONGEST_WAIT = DAY;
