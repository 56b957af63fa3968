import { describe, expect, test } from 'vitest';
import { HeldSecret } from './held-secret.ts';

describe('held secret', () => {
  const secret = new HeldSecret('41b2c3');

  test.each([
    ['the secret itself', '41b2c3', true],
    ['another of the same length', '41b2c4', false],
    ['its beginning', '41b2c', false],
    ['more than it', '41b2c3a', false],
    ['nothing', '', false],
    ['characters that share their lower bytes with it', '\u0134\u0131\u0162\u0132\u0163\u0133', false],
    ['no text', 41, false],
    ['something missing', undefined, false],
  ])('compares with %s', (_case, given, equal) => {
    expect(secret.matches(given)).toBe(equal);
  });

  test('does not show itself', () => {
    expect(JSON.stringify({ secret })).not.toContain('41b2c3');
  });

  test('keeps no more memory than its text: thousands of them live for hours', () => {
    expect(new HeldSecret('a'.repeat(32)).heldBytes).toBe(32);
  });
});
