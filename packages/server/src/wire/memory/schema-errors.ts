import { NOT_TEXT, NOT_WHOLE } from '@parley/protocol/continuity/fields';
import type { z } from 'zod';
import { cutChars } from '../../platform/chars.ts';
import { DetailError, ECHOED_CHARS } from './errors.ts';

/** One breach of the schema, in the words clients of this protocol know. Never shows what was sent. */
export interface SchemaProblem {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

export const invalidJson = (): DetailError =>
  new DetailError(422, [{ type: 'json_invalid', loc: ['body'], msg: 'JSON decode error' }]);

/** What is kept as JSON is written out again, which would run out of stack. */
export const nestedTooDeeply = (): DetailError =>
  new DetailError(422, [{ type: 'json_too_deep', loc: ['body'], msg: 'JSON is nested too deeply' }]);

export const missingBody = (): DetailError =>
  new DetailError(422, [{ type: 'missing', loc: ['body'], msg: 'Field required' }]);

export function schemaError(
  where: 'body' | 'query',
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
): DetailError {
  return new DetailError(
    422,
    withoutFalseLengths(issues).flatMap((issue) => problemsOf(where, issue, value)),
  );
}

/** What is of the wrong type has no length to be wrong, but the schema measures texts and lists in each other's place. */
function withoutFalseLengths(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const mistyped = new Set(issues.filter(({ code }) => code === 'invalid_type').map(placeOf));
  return issues.filter(
    (issue) => (issue.code !== 'too_small' && issue.code !== 'too_big') || !mistyped.has(placeOf(issue)),
  );
}

const placeOf = ({ path }: z.core.$ZodIssue): string => JSON.stringify(path);

function problemsOf(where: string, issue: z.core.$ZodIssue, value: unknown): SchemaProblem[] {
  const loc = [
    where,
    ...issue.path.map((key) => (typeof key === 'number' ? key : cutChars(String(key), ECHOED_CHARS))),
  ];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      type: 'extra_forbidden',
      loc: [...loc, cutChars(key, ECHOED_CHARS)],
      msg: 'Extra inputs are not permitted',
    }));
  }
  const given = valueAt(value, issue.path);
  if (given === undefined && issue.path.length > 0 && issue.code !== 'custom') {
    return [{ type: 'missing', loc, msg: 'Field required' }];
  }
  const [type, msg] = wordsFor(issue, given);
  return [{ type, loc, msg }];
}

type Words = readonly [type: string, msg: string];

function wordsFor(issue: z.core.$ZodIssue, given: unknown): Words {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue.message === NOT_WHOLE ? 'int' : issue.expected, given);
    case 'invalid_value':
      return [
        'literal_error',
        `Input should be ${alternatives(issue.values.map((word) => `'${String(word)}'`))}`,
      ];
    case 'invalid_union':
      return ['literal_error', 'Input should be one of the known forms'];
    case 'too_small':
      return boundWords(issue.code, issue.origin, Number(issue.minimum), given);
    case 'too_big':
      return boundWords(issue.code, issue.origin, Number(issue.maximum), given);
    case 'invalid_key':
      return ['string_type', NOT_TEXT];
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    default:
      return issue.message === NOT_TEXT
        ? ['string_type', NOT_TEXT]
        : ['value_error', `Value error, ${issue.message}`];
  }
}

function typeWords(expected: string, given: unknown): Words {
  switch (expected) {
    case 'string':
      return ['string_type', NOT_TEXT];
    case 'array':
      return ['list_type', 'Input should be a valid list'];
    case 'record':
      return ['dict_type', 'Input should be a valid dictionary'];
    case 'number':
      return typeof given === 'string'
        ? ['float_parsing', 'Input should be a valid number, unable to parse string as a number']
        : ['float_type', 'Input should be a valid number'];
    case 'int':
      if (typeof given === 'number') {
        return ['int_from_float', 'Input should be a valid integer, got a number with a fractional part'];
      }
      return typeof given === 'string'
        ? ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer']
        : ['int_type', NOT_WHOLE];
    case 'boolean':
      return typeof given === 'string' || typeof given === 'number'
        ? ['bool_parsing', 'Input should be a valid boolean, unable to interpret input']
        : ['bool_type', 'Input should be a valid boolean'];
    default:
      return ['model_attributes_type', 'Input should be a valid dictionary or object to extract fields from'];
  }
}

function boundWords(code: 'too_small' | 'too_big', origin: string, bound: number, given: unknown): Words {
  const small = code === 'too_small';
  const at = small ? 'at least' : 'at most';
  if (origin === 'string')
    return [
      small ? 'string_too_short' : 'string_too_long',
      `String should have ${at} ${counted(bound, 'character')}`,
    ];
  if (origin === 'array') {
    const length = Array.isArray(given) ? given.length : 0;
    return [
      small ? 'too_short' : 'too_long',
      `List should have ${at} ${counted(bound, 'item')} after validation, not ${length}`,
    ];
  }
  return small
    ? ['greater_than_equal', `Input should be greater than or equal to ${bound}`]
    : ['less_than_equal', `Input should be less than or equal to ${bound}`];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = at[key as keyof typeof at];
  }
  return at;
}
