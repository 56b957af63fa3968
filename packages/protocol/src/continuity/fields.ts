import { z } from 'zod';

declare global {
  interface String {
    /** In every runtime this package supports, though not yet in the language level it is typed with. */
    isWellFormed(): boolean;
  }
}

/** Marks a refinement whose failure is a failure of the type: half a character makes no text. */
export const NOT_TEXT = 'Input should be a valid string';
const wellFormed = (value: string): boolean => value.isWellFormed();
export const textOrOther = (value: unknown): boolean => typeof value !== 'string' || value.isWellFormed();

/** Whole characters, of any number. */
export const text = () => z.string().refine(wellFormed, NOT_TEXT);

/** Bounded by the schema: a breach is told with all others. */
export const textOf = (most: number, least = 0) => {
  const bounded = least > 0 ? z.string().min(least).max(most) : z.string().max(most);
  return bounded.refine(wellFormed, NOT_TEXT);
};

/** Bounded by a rule that needs more than the schema (400): the bound is told here, and checked there. */
export const ruledText = (most: number, least = 0) =>
  text().meta({ maxLength: most, ...(least > 0 && { minLength: least }), [RULE]: 400 });

/** Where a bound is kept by a rule and not by the schema, its JSON Schema says so under this key. */
export const RULE = 'x-refused-with';

export const ruledTexts = ({ items, chars }: { items: number; chars: number }, least = 0) =>
  z.array(ruledText(chars, least)).max(items);

/** Tells a whole number that was wanted from any number that was. */
export const NOT_WHOLE = 'Input should be a valid integer';

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INTEGER = /^[+-]?\d+(\.0*)?$/;
const TRUE = new Set<unknown>([1, 'true', 'yes', 'on', '1', 't', 'y']);
const FALSE = new Set<unknown>([0, 'false', 'no', 'off', '0', 'f', 'n']);

function numberFrom(pattern: RegExp, value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string' && pattern.test(value.trim())) return Number(value.trim());
  return value;
}

/** A number, or a text or flag that says one. */
export const decimal = (least: number, most: number) =>
  z.preprocess((value) => numberFrom(NUMBER, value), z.number().min(least).max(most));

/** No bound is larger, so a number beyond what is exact is told as the one breach it is. */
function wholeFrom(value: unknown): unknown {
  const number = numberFrom(INTEGER, value);
  if (typeof number !== 'number' || !Number.isInteger(number)) return number;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(number, Number.MAX_SAFE_INTEGER));
}

export const whole = (least: number, most: number) =>
  z.preprocess(wholeFrom, z.int(NOT_WHOLE).min(least).max(most));

/** Any whole number: where bounds are the business of a rule. */
export const anyWhole = () => z.preprocess(wholeFrom, z.int(NOT_WHOLE));

export const flag = () =>
  z.preprocess((value) => {
    const said = typeof value === 'string' ? value.toLowerCase() : value;
    if (TRUE.has(said)) return true;
    return FALSE.has(said) ? false : value;
  }, z.boolean());
