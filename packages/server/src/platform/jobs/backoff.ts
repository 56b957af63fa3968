import type { Random } from '../ids.ts';

const FIRST_MS = 5_000;
const LONGEST_MS = 300_000;

/** Doubles from five seconds to five minutes, plus up to a quarter at random so that failures do not march in step. */
export function defaultBackoff(random: Random): (attempt: number) => number {
  return (attempt) => {
    const wait = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
    return Math.round(wait * (1 + random.unit() / 4));
  };
}
