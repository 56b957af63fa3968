import { describe, expect, test } from 'vitest';
import { isNestedDeeper } from './nesting.ts';

const nested = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);

describe('nesting', () => {
  test('is counted to the bracket, lists and objects together', () => {
    expect(isNestedDeeper(nested(100))).toBe(false);
    expect(isNestedDeeper(nested(101))).toBe(true);
    expect(isNestedDeeper(nested(99, '{"a":[]}'))).toBe(true);
    expect(isNestedDeeper(nested(98, '{"a":[]}'))).toBe(false);
  });

  test('brackets side by side and in strings do not count', () => {
    expect(isNestedDeeper(`[${'[],'.repeat(1000)}[]]`)).toBe(false);
    expect(isNestedDeeper(JSON.stringify({ text: `\\"${'['.repeat(1000)}` }))).toBe(false);
    expect(isNestedDeeper(`{"a\\\\":${nested(100)}}`)).toBe(true);
  });
});
