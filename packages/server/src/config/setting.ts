import { isObject } from '@parley/protocol/json';

interface Options {
  /** The prefix of an older environment name, which is read after `PARLEY_…`. */
  readonly older?: string;
  /** Never shown by `config print`. */
  readonly secret?: boolean;
  /** What the server will run. A folder that somebody made must not be able to say it. */
  readonly program?: boolean;
}

/** One setting, written once: its flag, environment names, file key, default and parser all follow from here. */
export interface Setting<T> extends Options {
  readonly help: string;
  readonly fallback: T;
  parse(raw: unknown): T;
}

class SettingError extends Error {
  override readonly name = 'SettingError';
}

function setting<T>(
  help: string,
  fallback: T,
  parse: (raw: unknown) => T | undefined,
  expected: string,
  options: Options = {},
): Setting<T> {
  return {
    help,
    fallback,
    ...options,
    parse(raw) {
      const value = parse(raw);
      if (value === undefined) throw new SettingError(`expected ${expected}`);
      return value;
    },
  };
}

export function text(help: string, fallback: string, options: Options = {}): Setting<string> {
  return setting(
    help,
    fallback,
    // An empty host would be every address of the machine, an empty folder the one we happen to be in.
    (raw) => (typeof raw === 'string' && raw.trim() !== '' ? raw.trim() : undefined),
    'text',
    options,
  );
}

export function optionalText(help: string, options: Options = {}): Setting<string | undefined> {
  return {
    ...setting<string | undefined>(help, undefined, () => undefined, '', options),
    parse(raw) {
      if (typeof raw !== 'string') throw new SettingError('expected text');
      return raw.trim() === '' ? undefined : raw.trim();
    },
  };
}

export function integer(
  help: string,
  fallback: number,
  { min = 0, max = Number.MAX_SAFE_INTEGER, ...options }: Options & { min?: number; max?: number } = {},
): Setting<number> {
  const parse = (raw: unknown): number | undefined => {
    const value =
      typeof raw === 'string' && /^\d+$/.test(raw.replaceAll('_', ''))
        ? Number(raw.replaceAll('_', ''))
        : raw;
    const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
    return fits ? value : undefined;
  };
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return setting(help, fallback, parse, `a whole number ${range}`, options);
}

/** Where zero would mean nothing. */
export const positive = (help: string, fallback: number, options: Options = {}): Setting<number> =>
  integer(help, fallback, { ...options, min: 1 });

/** A number that is brought between its bounds; what is no number counts as not given. */
export function clamped(
  help: string,
  { least, usual, most }: { least: number; usual: number; most: number },
  options: Options = {},
): Setting<number> {
  const parse = (raw: unknown): number => {
    const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
    if (typeof value !== 'number' || Number.isNaN(value)) return usual;
    return Math.min(most, Math.max(least, Math.trunc(value)));
  };
  return setting(help, usual, parse, `a number from ${least} to ${most}`, options);
}

export function choice<const T extends string>(help: string, fallback: T, values: readonly T[]): Setting<T> {
  const parse = (raw: unknown): T | undefined => values.find((value) => value === raw);
  return setting(help, fallback, parse, `one of ${values.join(', ')}`);
}

export function onOff(help: string, fallback: boolean): Setting<boolean> {
  return setting(help, fallback, parseOnOff, 'on or off');
}

export function list(help: string): Setting<readonly string[]> {
  return setting<readonly string[]>(help, [], parseList, 'a comma-separated list');
}

/** Words that are known, of which at least one is given. */
export function words<const T extends string>(
  help: string,
  fallback: readonly T[],
  known: readonly T[],
): Setting<readonly T[]> {
  const isKnown = (word: string): word is T => known.some((each) => each === word);
  const parse = (raw: unknown): readonly T[] | undefined => {
    const given = parseList(raw);
    return given && given.length > 0 && given.every(isKnown) ? given : undefined;
  };
  return setting(help, fallback, parse, `some of ${known.join(', ')}`);
}

/** Numbers under names that are known: `free=60,pro=200`. A name that is left out keeps its default. */
export function numbersByName<Name extends string>(
  help: string,
  fallback: Readonly<Record<Name, number>>,
): Setting<Readonly<Record<Name, number>>> {
  const names = Object.keys(fallback);
  const parse = (raw: unknown): Readonly<Record<Name, number>> | undefined => {
    const given = pairs(raw);
    if (!given?.every(([name, value]) => names.includes(name) && isCount(value))) return undefined;
    return { ...fallback, ...Object.fromEntries(given) };
  };
  return setting(help, fallback, parse, `NAME=NUMBER, the name one of ${names.join(', ')}`);
}

const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** From `a=1,b=2`, a list of such texts, or an object as `config print` shows it. */
function pairs(raw: unknown): [string, unknown][] | undefined {
  if (isObject(raw)) return Object.entries(raw);
  return parseList(raw)?.map((item) => {
    const [, name = item, digits = ''] = /^([^=]*)=\s*([\d_]*\d)$/.exec(item) ?? [];
    return [name.trim(), digits === '' ? undefined : Number(digits.replaceAll('_', ''))];
  });
}

function parseOnOff(raw: unknown): boolean | undefined {
  if (raw === true || raw === 'on' || raw === 'true' || raw === '1') return true;
  if (raw === false || raw === 'off' || raw === 'false' || raw === '0') return false;
  return undefined;
}

function parseList(raw: unknown): readonly string[] | undefined {
  const items = typeof raw === 'string' ? raw.split(',') : raw;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return undefined;
  return items.map((item) => item.trim()).filter((item) => item !== '');
}
