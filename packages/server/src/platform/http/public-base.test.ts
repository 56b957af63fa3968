import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { TrustedProxies } from './client-address.ts';
import { checkPublicUrl, publicBase } from './public-base.ts';

interface Asked {
  host?: string;
  proto?: string;
  peer?: string;
  encrypted?: true;
}

function asked({ host, proto, peer = '203.0.113.7', encrypted }: Asked): IncomingMessage {
  const headers = { host, 'x-forwarded-proto': proto, 'x-forwarded-host': 'evil.example' };
  return {
    socket: { remoteAddress: peer, ...(encrypted && { encrypted }) },
    headers,
  } as unknown as IncomingMessage;
}

describe('public base', () => {
  const proxies = new TrustedProxies(['10.0.0.1']);
  const base = (request: Asked, publicUrl?: string) => publicBase(asked(request), { publicUrl, proxies });

  test.each<[string, Asked, string]>([
    ['the host the caller used', { host: 'a.example:8080' }, 'http://a.example:8080'],
    ['https on an encrypted socket', { host: 'a.example', encrypted: true }, 'https://a.example'],
    [
      'the scheme of a trusted proxy',
      { host: 'a.example', proto: 'https', peer: '10.0.0.1' },
      'https://a.example',
    ],
    ['the socket’s when a proxy says nothing', { host: 'a.example', peer: '10.0.0.1' }, 'http://a.example'],
    ['no scheme of a stranger', { host: 'a.example', proto: 'https' }, 'http://a.example'],
    ['not even a malformed one', { host: 'a.example', proto: '"' }, 'http://a.example'],
    ['an IPv6 host', { host: '[::1]:7330' }, 'http://[::1]:7330'],
  ])('is %s', (_label, request, expected) => {
    expect(base(request)).toBe(expected);
  });

  test('is the configured URL before all else', () => {
    expect(base({ host: 'a"b' }, 'https://parley.example/')).toBe('https://parley.example');
    expect(base({}, 'https://parley.example/base//')).toBe('https://parley.example/base');
  });

  test.each([
    '',
    'a b',
    'a"b',
    "a'b",
    '$(x)',
    '`x`',
    'a;b',
    'a|b',
    'a&b',
    'a/b',
    'a@b',
    'a\nb',
    'a:1:2',
    '..',
    '.a',
    'a..',
    'x'.repeat(300),
  ])('is none for the host %j', (host) => {
    expect(base({ host })).toBeUndefined();
  });

  test('is none without a host', () => {
    expect(base({})).toBeUndefined();
  });

  test.each(['ftp', 'HTTPS', 'https,http', 'javascript', ' https'])(
    'is none for the forwarded scheme %j',
    (proto) => {
      expect(base({ host: 'a.example', proto, peer: '10.0.0.1' })).toBeUndefined();
    },
  );
});

describe('configured public URL', () => {
  test.each([
    undefined,
    'http://a',
    'https://a.example:8443',
    'https://a.example/',
    'https://a.example/base/x-1',
    'http://[::1]:80',
  ])('%j is fine', (url) => {
    expect(() => checkPublicUrl(url)).not.toThrow();
  });

  test.each([
    'a.example',
    '//a.example',
    'ftp://a.example',
    'https://',
    'https://a.example?x=1',
    'https://a.example/#k',
    'https://user:secret@a.example',
    'https://:secret@a.example',
    "https://a.example/'",
    'https://a.example/$(id)',
    'https://a.example/a b',
    'https://a.example/\nid',
  ])('%j is refused', (url) => {
    expect(() => checkPublicUrl(url)).toThrow('public_url');
  });
});
