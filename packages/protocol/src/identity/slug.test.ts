import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SLUG, slugFrom, slugWithTail } from './slug.ts';

describe('slug › from a name', () => {
  test.each([
    ['Max', 'max'],
    ['Cue Mac App', 'cue-mac-app'],
    ['ada.love+lace', 'ada-love-lace'],
    ['--x--', 'x'],
    ['a  …  b', 'a-b'],
    ['', 'user'],
    ['船', 'user'],
    ['x'.repeat(80), 'x'.repeat(60)],
    [`${'x'.repeat(59)} y`, 'x'.repeat(59)],
  ])('%j gives %j', (text, slug) => {
    expect(slugFrom(text, 'user')).toBe(slug);
  });

  test('is always a slug, and so is the next candidate', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 90 }),
        fc.stringMatching(/^[0-9a-f]{4,16}$/),
        (text, tail) => {
          const slug = slugFrom(text, 'agent');
          expect(slug).toMatch(SLUG);
          expect(slug.length).toBeLessThanOrEqual(60);
          expect(slugWithTail(slug, tail)).toMatch(SLUG);
          expect(slugWithTail(slug, tail).endsWith(`-${tail}`)).toBe(true);
        },
      ),
    );
  });
});
