import { describe, expect, test } from 'vitest';
import { JoinUrlError, joinUrl, parseJoinUrl } from './join-url.ts';
import { KeyFormatError, keyFingerprint, keyToFragment, newKey, parseKey } from './key.ts';
import { vectors } from './testing/vectors.ts';

const { key, fragment } = vectors[2];

describe('channel key › spellings', () => {
  test.each([
    ['43 base64url characters', fragment],
    ['44 with the padding', `${fragment}=`],
    ['64 hex digits', key],
    ['64 hex digits in upper case', key.toUpperCase()],
    ['with parameters behind', `${fragment}&n=x`],
    ['padded, with parameters behind', `${fragment}=&n=x&t=y`],
    ['hex, with parameters behind', `${key.toUpperCase()}&k=other`],
  ])('accepts %s', (_what, text) => {
    expect(parseKey(text)).toBe(key);
  });

  test.each([
    ['nothing', ''],
    ['only parameters', '&n=x'],
    ['42 characters', fragment.slice(1)],
    ['44 without padding', `${fragment}A`],
    ['two paddings', `${fragment}==`],
    ['standard base64', `+${fragment.slice(1)}`],
    ['63 hex digits', key.slice(1)],
    ['65 hex digits', `${key}0`],
    ['43 hex digits: a hex key cut short', '0123456789abcdef0123456789ABCDEF0123456789a'],
    ['a leading space', ` ${fragment}`],
    ['a line break behind', `${fragment}\n`],
    ['another letter', `é${fragment.slice(1)}`],
  ])('refuses %s and names both forms', (_what, text) => {
    expect(() => parseKey(text)).toThrow(KeyFormatError);
    expect(() => parseKey(text)).toThrow('43 base64url or 64 hex');
  });

  test('a fresh key is 32 bytes and survives its fragment', () => {
    const fresh = newKey();
    expect(fresh).toMatch(/^[0-9a-f]{64}$/);
    expect(newKey()).not.toBe(fresh);
    expect(keyToFragment(fresh)).toMatch(/^[\w-]{43}$/);
    expect(parseKey(keyToFragment(fresh))).toBe(fresh);
  });

  test('every spelling has one fingerprint', async () => {
    expect(await keyFingerprint(key.toUpperCase())).toBe(await keyFingerprint(parseKey(fragment)));
  });
});

describe('channel key › join URL', () => {
  const target = { base: 'https://talk.example', channelId: 'a1b2', token: 'c3d4', key };

  test('reads what it writes', () => {
    expect(joinUrl(target)).toBe(`https://talk.example/c/a1b2?token=c3d4#k=${fragment}`);
    expect(parseJoinUrl(joinUrl(target))).toEqual(target);
  });

  test.each([
    ['white space around', `  ${joinUrl(target)}\n`],
    ['more in the fragment', `${joinUrl(target)}&n=Ann&t=topic`],
    ['the name first', `https://talk.example/c/a1b2?token=c3d4#n=Ann&k=${fragment}`],
    ['a hex key', `https://talk.example/c/a1b2/?token=c3d4#k=${key}`],
  ])('takes one with %s', (_what, text) => {
    expect(parseJoinUrl(text)).toEqual(target);
  });

  test('keeps the path of a server that is not at the root', () => {
    const below = { ...target, base: 'http://127.0.0.1:7330/parley' };
    expect(parseJoinUrl(joinUrl(below))).toEqual(below);
  });

  test.each([
    ['no URL', 'hello'],
    ['another scheme', `ftp://x/c/a1?token=b2#k=${fragment}`],
    ['no token', `https://x/c/a1#k=${fragment}`],
    ['a token that is not hex', `https://x/c/a1?token=$(x)#k=${fragment}`],
    ['a channel that is not hex', `https://x/c/zz?token=b2#k=${fragment}`],
    ['no key', 'https://x/c/a1?token=b2'],
  ])('refuses %s', (_what, text) => {
    expect(() => parseJoinUrl(text)).toThrow(JoinUrlError);
  });

  test('refuses a broken key with the words of the key', () => {
    expect(() => parseJoinUrl('https://x/c/a1?token=b2#k=short')).toThrow(KeyFormatError);
  });
});
