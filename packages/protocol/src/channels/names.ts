import { MAX_NAME_UNITS } from './limits.ts';

// Control characters could forge a second event line; invisible and direction-changing ones could make a name
// look like another; a lone surrogate has no UTF-8 form, so it could not be authenticated.
const CONTROL = /\p{Cc}/u;
const INVISIBLE = /[\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

export function isValidName(name: unknown): name is string {
  return typeof name === 'string' && nameProblem(name) === undefined;
}

/** Why a name is refused, in words for a person; `undefined` when it is fine. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'a name must not be empty or blank';
  if (name.length > MAX_NAME_UNITS) return `a name has at most ${MAX_NAME_UNITS} characters`;
  if (CONTROL.test(name) || LONE_SURROGATE.test(name)) return 'a name must not contain control characters';
  if (INVISIBLE.test(name)) return 'a name must not contain invisible or direction-changing characters';
  if (name !== name.trim()) return 'a name must not begin or end with white space';
  return undefined;
}

/** The same name with a number behind it, cut so that it stays within the limit. */
export function suffixedName(name: string, suffix: number): string {
  const tail = `-${suffix}`;
  return `${cutUnits(name, MAX_NAME_UNITS - tail.length).trimEnd()}${tail}`;
}

/** At most `units` UTF-16 units, never half of a surrogate pair. */
export function cutUnits(text: string, units: number): string {
  if (text.length <= units) return text;
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}
