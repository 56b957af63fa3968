import { assert, integer, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnsOf, padded, wrapped } from './columns.ts';

const solid = (text: string): string => text.replaceAll(/[ \u3000\n]/g, '');

describe('memory view › columns', () => {
  test.each([
    ['abc', 3],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['漢字', 4],
    ['한국', 4],
    ['ｆｕｌｌ', 8],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['✔️', 2],
    ['✔', 1],
    ['', 0],
  ])('%s takes %d', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
    expect(columnsOf(padded(text, 12))).toBe(12);
  });

  test.each([
    ['between words', 'one two three', 8, ['one two', 'three']],
    ['exactly full', 'one two', 7, ['one two']],
    ['inside a word that is too long', 'a abcdefgh b', 4, ['a', 'abcd', 'efgh', 'b']],
    ['wide characters', '漢字漢字', 5, ['漢字', '漢字']],
    ['never inside a character', '👩‍👩‍👧👩‍👩‍👧', 3, ['👩‍👩‍👧', '👩‍👩‍👧']],
    ['where the author did', 'one\n\ntwo', 9, ['one', '', 'two']],
    ['nothing', '', 9, ['']],
  ])('are broken %s', (_where, text, columns, lines) => {
    expect(wrapped(text, columns)).toEqual(lines);
  });

  test('no line is wider than asked, and no character is lost', () => {
    assert(
      property(string({ unit: 'grapheme', maxLength: 60 }), integer({ min: 2, max: 30 }), (text, columns) => {
        const lines = wrapped(text, columns);
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        expect(solid(lines.join(''))).toBe(solid(text));
      }),
    );
  });
});
