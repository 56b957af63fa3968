/**
 * The one way in which signed bodies are written. Receivers check a signature over the raw bytes, or over what they get
 * by parsing the body and writing it again; with this form both agree: keys by code point, `", "` and `": "` between
 * things, plain ASCII, and numbers as every parser writes them back.
 */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

interface Separators {
  readonly item: string;
  readonly key: string;
}

/** Members that are undefined are left out, as JSON does. */
export const signedJson = (value: Json): string => written(value, { item: ', ', key: ': ' });

/** The same without a space anywhere. */
export const compactJson = (value: Json): string => written(value, { item: ',', key: ':' });

function written(value: Json, separators: Separators): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return String(value);
  return isList(value) ? list(value, separators) : object(value, separators);
}

const isList = (value: readonly Json[] | object): value is readonly Json[] => Array.isArray(value);

const list = (value: readonly Json[], separators: Separators): string =>
  `[${value.map((item) => written(item, separators)).join(separators.item)}]`;

function object(value: { readonly [key: string]: Json | undefined }, separators: Separators): string {
  const members: string[] = [];
  for (const [key, member] of Object.entries(value).toSorted(([a], [b]) => byCodePoint(a, b))) {
    if (member !== undefined) members.push(`${quoted(key)}${separators.key}${written(member, separators)}`);
  }
  return `{${members.join(separators.item)}}`;
}

/** Plain string comparison goes by UTF-16 unit, which puts U+1F600 before U+FF5E. */
function byCodePoint(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** Without the `u` flag the pattern goes by UTF-16 unit, so an astral character becomes its two escapes. */
function quoted(text: string): string {
  const escaped = text.replaceAll(/["\\]|[^ -~]/g, (unit) => {
    return SHORT_ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

const LEAST_PLAIN = 1e-4;
const LEAST_EXPONENTIAL = 1e21;

function number(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError('JSON has no NaN and no infinities');
  const size = Math.abs(value);
  // `String` turns -0 into 0, and writes everything of this size in plain digits.
  if (size === 0 || (size >= LEAST_PLAIN && size < LEAST_EXPONENTIAL)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
