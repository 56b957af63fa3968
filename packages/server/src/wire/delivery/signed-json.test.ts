import { spawnSync } from 'node:child_process';
import {
  type Arbitrary,
  assert,
  double,
  jsonValue,
  oneof,
  property,
  sample,
  string,
  uniqueArray,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, signedJson } from './signed-json.ts';

/** Sorts by code point when compared as text. */
const utf32 = (key: string): string =>
  Array.from(key, (character) => String(character.codePointAt(0)).padStart(7, '0')).join('');

describe('signed JSON', () => {
  test('writes the example of the contract', () => {
    const value = { é: '\u2028😀/', a: [0.0001, 0.00001, 1e-7, 1e21], A: 1 };
    expect(signedJson(value)).toBe(
      '{"A": 1, "a": [0.0001, 1e-05, 1e-07, 1e+21], "\\u00e9": "\\u2028\\ud83d\\ude00/"}',
    );
  });

  test.each<[Json, string]>([
    [-0, '0'],
    [1e20, '100000000000000000000'],
    [-123456789012345680000, '-123456789012345680000'],
    [1.5e-7, '1.5e-07'],
    [-0.000099, '-9.9e-05'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [5e-324, '5e-324'],
    [0.1, '0.1'],
    ['\u007f~ ', '"\\u007f~ "'],
    ['"\\/\n\r\t\b\f\0', '"\\"\\\\/\\n\\r\\t\\b\\f\\u0000"'],
    ['\ud800', '"\\ud800"'],
    [[], '[]'],
    [{}, '{}'],
    [{ b: undefined, a: null }, '{"a": null}'],
    [
      { '\u{1f600}': 1, '\uff5e': 2, a: { z: 1, Z: 2, '': 3 } },
      '{"a": {"": 3, "Z": 2, "z": 1}, "\\uff5e": 2, "\\ud83d\\ude00": 1}',
    ],
  ])('writes %j', (value, text) => {
    expect(signedJson(value)).toBe(text);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', (value) => {
    expect(() => signedJson([value])).toThrow(RangeError);
  });

  const json = jsonValue({ stringUnit: 'binary' }) as Arbitrary<Json>;

  test('comes back as the same value, and is written the same again', () => {
    assert(
      property(json, (value) => {
        const text = signedJson(value);
        const parsed = JSON.parse(text) as Json;
        expect(parsed).toEqual(JSON.parse(JSON.stringify(value)));
        expect(signedJson(parsed)).toBe(text);
        expect(text).toMatch(/^[ -~]*$/);
      }),
      { numRuns: 2000 },
    );
  });

  test('sorts keys by code point at every level, whatever order they came in', () => {
    assert(
      property(uniqueArray(string({ unit: 'binary' }), { maxLength: 8 }), (keys) => {
        const forwards = Object.fromEntries(keys.map((key) => [key, 1]));
        const backwards = Object.fromEntries(keys.toReversed().map((key) => [key, 1]));
        expect(signedJson({ x: forwards })).toBe(signedJson({ x: backwards }));
        const written = [...signedJson(forwards).matchAll(/("(?:[^"\\]|\\.)*"): 1/g)].map(
          ([, key]) => JSON.parse(key ?? '') as string,
        );
        expect(written).toEqual(keys.toSorted((a, b) => (utf32(a) < utf32(b) ? -1 : 1)));
      }),
    );
  });

  const python = spawnSync('python3', ['--version']).status === 0;
  const reason = python ? '' : ' (skipped: python3 is not installed)';
  test.skipIf(!python)(`agrees with a verifier that parses and writes again${reason}`, () => {
    const values = sample(oneof(json, double({ noNaN: true, noDefaultInfinity: true })), 1500);
    const lines = values.map(signedJson);
    const script =
      'import sys, json\nfor l in sys.stdin: print(json.dumps(json.loads(l), sort_keys=True, ensure_ascii=True))';
    const answer = spawnSync('python3', ['-c', script], { input: `${lines.join('\n')}\n`, maxBuffer: 1e8 });
    expect(answer.stderr.toString()).toBe('');
    expect(answer.stdout.toString().trimEnd().split('\n')).toEqual(lines);
  });
});
