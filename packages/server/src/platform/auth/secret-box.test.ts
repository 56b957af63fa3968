import { describe, expect, test } from 'vitest';
import { systemRandom } from '../ids.ts';
import { SecretBox, SecretBoxError } from './secret-box.ts';

const box = new SecretBox(systemRandom.bytes(32), systemRandom);

function codeOf(fn: () => unknown): string {
  try {
    fn();
  } catch (error) {
    if (error instanceof SecretBoxError) return error.code;
    throw error;
  }
  return 'none';
}

describe('secret box', () => {
  test.each(['', 'whsec_1', 'läuft 🌊', 'x'.repeat(10_000)])('opens what it sealed (%#)', (secret) => {
    expect(box.open(box.seal(secret, 'webhook:1'), 'webhook:1')).toBe(secret);
  });

  test('seals the same secret differently each time and shows none of it', () => {
    const first = box.seal('whsec_visible', 'webhook:1');
    expect(first).not.toBe(box.seal('whsec_visible', 'webhook:1'));
    expect(first).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(Buffer.from(first.slice(3), 'base64url').includes('whsec')).toBe(false);
  });

  test('does not open for another purpose', () => {
    const sealed = box.seal('whsec_1', 'webhook:1');
    expect(codeOf(() => box.open(sealed, 'webhook:2'))).toBe('cannot_open');
  });

  test('does not open with another key', () => {
    const other = new SecretBox(systemRandom.bytes(32), systemRandom);
    expect(codeOf(() => other.open(box.seal('whsec_1', 'a'), 'a'))).toBe('cannot_open');
  });

  test('does not open when any byte was changed', () => {
    const bytes = Buffer.from(box.seal('whsec_1', 'a').slice(3), 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(codeOf(() => box.open(`v1.${changed.toString('base64url')}`, 'a'))).toBe('cannot_open');
    }
  });

  test.each(['', 'plain secret', 'v1', 'v1.', 'v1.AAAA', 'v2.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'])(
    'says that %j is not a sealed secret',
    (text) => {
      expect(codeOf(() => box.open(text, 'a'))).toBe('bad_format');
    },
  );

  test('refuses a key of the wrong size', () => {
    expect(codeOf(() => new SecretBox(new Uint8Array(16), systemRandom))).toBe('bad_key');
  });
});
