import { describe, expect, test } from 'vitest';
import { bearerToken } from './bearer.ts';
import { hashSecret, secretsEqual } from './secrets.ts';

describe('secrets › hash', () => {
  test('is the SHA-256 in hex', () => {
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('secrets › equal', () => {
  const secret = 'a'.repeat(47) + 'b';

  test.each([
    ['the same text', secret, true],
    ['another last character', `${'a'.repeat(47)}c`, false],
    ['another first character', `x${secret.slice(1)}`, false],
    ['a prefix', secret.slice(0, 10), false],
    ['the text and more', `${secret}a`, false],
    ['nothing', '', false],
    ['as many characters but more bytes', `${'ä'.repeat(47)}b`, false],
  ])('%s', (_name, given, equal) => {
    expect(secretsEqual(given, secret)).toBe(equal);
  });

  test('knows two empty texts and two equal texts of several bytes a letter', () => {
    expect(secretsEqual('', '')).toBe(true);
    expect(secretsEqual('é', 'é')).toBe(true);
  });
});

describe('bearer token', () => {
  test.each([
    ['Bearer ak_abc123', 'ak_abc123'],
    ['bearer ak_abc123', 'ak_abc123'],
    ['BEARER   ak_abc123  ', 'ak_abc123'],
    ['Bearer a.b-c~d+e/f==', 'a.b-c~d+e/f=='],
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Basic YTpi', undefined],
    ['ak_abc123', undefined],
    ['Bearer two words', undefined],
    ['Bearer a,b', undefined],
    ['Bearerak_abc123', undefined],
  ])('%j gives %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});
