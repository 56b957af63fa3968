import { cut } from '../continuity/answers.ts';

const MOST_CHARS = 512;

/** What a change is recorded under: what the caller says of it, or else what was done to what. */
export const commitMessageOf = (given: string | null | undefined, operation: string, to: string): string =>
  given ? cut(given, MOST_CHARS) : `${operation.replace('.', ': ')} ${to}`;
