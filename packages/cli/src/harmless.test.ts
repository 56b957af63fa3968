import { describe, expect, test } from 'vitest';
import { harmless, harmlessJson, harmlessLine } from './harmless.ts';

describe('terminal › harmless', () => {
  test.each([
    ['an escape sequence', '\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
    ['the one-character form of one', '\u009b31m', '\\x9b31m'],
    ['a backspace that hides', 'safe\b\b\b\bevil', 'safe\\x08\\x08\\x08\\x08evil'],
    [
      'direction marks',
      'invoice\u202egnp.exe \u2066x\u2069 \u200f',
      'invoice\\u{202e}gnp.exe \\u{2066}x\\u{2069} \\u{200f}',
    ],
    ['words only a model would read', 'a\u{e0068}\u{e0069}', 'a\\u{e0068}\\u{e0069}'],
    ['what takes no room', 'a\u200bb\ufeffc\u00add', 'a\\u{200b}b\\u{feff}c\\xadd'],
    ['other line ends', 'a\u2028b\u2029c\u0085d', 'a\\u{2028}b\\u{2029}c\\x85d'],
    ['half a character', 'a\ud800b', 'a\\u{d800}b'],
    ['a null', 'a\0b', 'a\\x00b'],
  ])('%s is shown by its number', (_what, text, shown) => {
    expect(harmless(text)).toBe(shown);
  });

  test('JSON says the same with harmless characters', () => {
    const value = { text: 'a\u001b[2J\u009b31m\u202eb\u{e0068}\ud800 👩‍👩‍👧 נ\n\t"\\', 'k\u009bey': 1 };
    const json = harmlessJson(JSON.stringify(value));
    expect(JSON.parse(json)).toEqual(value);
    expect(harmless(json)).toBe(json);
    expect(json).toContain('👩‍👩‍👧 נ');
  });

  test('what people write stays as it is', () => {
    const text = 'naïve 漢字 Ελλάδα עברית العربية نمی‌خواهم क्षि 👩‍👩‍👧 ✔️ 🇪🇺';
    expect(harmless(text)).toBe(text);
  });

  test('line ends stay, a tab is a blank; on one line both are blanks', () => {
    expect(harmless('a\r\nb\rc\td')).toBe('a\nb\nc d');
    expect(harmlessLine('a \r\n\n b\tc')).toBe('a b c');
  });
});
