import { describe, expect, test } from 'vitest';
import { nameCandidates, personName } from './person-name.ts';

describe('person name', () => {
  test.each([
    ['Ada', 'Ada'],
    ['  Ada   Lovelace ', 'Ada-Lovelace'],
    ['Zoë', 'Zoe'],
    ['a.b_c-d9', 'a.b_c-d9'],
    ['<b>&"\'', 'b'],
    ['x'.repeat(50), 'x'.repeat(32)],
    ['Мария', ''],
    ['', ''],
  ])('of "%s" is "%s"', (wish, name) => {
    expect(personName(wish)).toBe(name);
  });

  test('takes -1 to -7 when it is taken, never longer than 32', () => {
    expect(nameCandidates('Ada')).toEqual([
      'Ada',
      'Ada-1',
      'Ada-2',
      'Ada-3',
      'Ada-4',
      'Ada-5',
      'Ada-6',
      'Ada-7',
    ]);
    expect(nameCandidates('x'.repeat(32)).at(-1)).toBe(`${'x'.repeat(30)}-7`);
  });
});
