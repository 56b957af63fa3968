import { describe, expect, test } from 'vitest';
import { nameSkeletons } from './confusables.ts';
import { cutUnits, isValidName, suffixedName } from './names.ts';

function looksAlike(a: string, b: string): boolean {
  const [letters, shapes] = nameSkeletons(a);
  const other = nameSkeletons(b);
  return letters === other[0] || shapes === other[1];
}

describe('channel name › valid', () => {
  test.each([
    'a',
    'laptop',
    'two words',
    'Zoë 🦊',
    '名前',
    'a/b:c"d\'',
    '<img onerror=x>',
    'x'.repeat(64),
    '🦊'.repeat(32),
  ])('accepts %j', (name) => expect(isValidName(name)).toBe(true));

  test.each([
    '',
    ' ',
    '\u00a0\u2003',
    ' a',
    'a ',
    'a\nb',
    'a\u0000',
    'a\u007f',
    'a\u0085b',
    'a\u009f',
    'a\u2028b',
    'a\u2029b',
    'a\u200bb',
    'a\u200fb',
    'a\u202eb',
    'a\u2066b',
    'a\u2069b',
    'a\ufeffb',
    'a\ud83e',
    'x'.repeat(65),
    '🦊'.repeat(33),
  ])('refuses %j', (name) => expect(isValidName(name)).toBe(false));

  test.each([undefined, null, 7, true, ['a'], { name: 'a' }])('refuses what is not a string: %j', (name) => {
    expect(isValidName(name)).toBe(false);
  });
});

describe('channel name › suffix', () => {
  test('goes behind the name and stays within the limit', () => {
    expect(suffixedName('laptop', 1)).toBe('laptop-1');
    expect(suffixedName('x'.repeat(64), 7)).toBe(`${'x'.repeat(62)}-7`);
    expect(suffixedName('🦊'.repeat(32), 2)).toBe(`${'🦊'.repeat(31)}-2`);
  });

  test('a cut never leaves half a character', () => {
    expect(cutUnits('a🦊b', 2)).toBe('a');
    expect(cutUnits('a🦊b', 3)).toBe('a🦊');
  });
});

describe('channel name › look-alikes', () => {
  test.each([
    ['laptop', 'laptop'],
    ['laptop', 'Laptop'],
    ['laptop', 'LAPTOP'],
    ['laptop', 'lаptор'],
    ['alice', 'Аlice'],
    ['Al', 'AI'],
    ['Al', 'A1'],
    ['server1', 'serverl'],
    ['Server1', 'serverI'],
    ['oscar', '0scar'],
    ['BOB', 'B0B'],
    ['café', 'cafe\u0301'],
    ['ёж', 'ёж'],
    ['admin', 'ａｄｍｉｎ'],
    ['admin', '𝐚𝐝𝐦𝐢𝐧'],
    ['admin', 'adm\u00adin'],
    ['admin', 'adm\u2060in'],
    ['a b', 'a\u00a0b'],
    ['a b', 'a  b'],
    ['a-b', 'a–b'],
    ["o'neil", 'o’neil'],
    ['Νικη', 'NIKH'.replace('H', 'η').replace('NIK', 'Νικ')],
    ['HAL', 'НАL'],
  ])('%j and %j', (a, b) => {
    expect(looksAlike(a, b)).toBe(true);
    expect(looksAlike(b, a)).toBe(true);
  });

  test.each([
    ['server', 'server-1'],
    ['server-1', 'server-2'],
    ['laptop', 'laptop_'],
    ['ai', 'al'],
    ['CI', 'CL'],
    ['node-L', 'node-1'],
    ['modern', 'modem'],
    ['Zoe', 'Zoë'],
    ['резюме', 'resume'],
    ['alice', 'alicia'],
    ['a b', 'ab'],
    ['агент', 'agent'],
    ['名前', '名札'],
    ['🦊', '🐻'],
    ['v1', 'v2'],
  ])('%j is plainly not %j', (a, b) => {
    expect(looksAlike(a, b)).toBe(false);
    expect(looksAlike(b, a)).toBe(false);
  });
});
