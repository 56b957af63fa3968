import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { clientAddress, isLoopbackAddress, TrustedProxies } from './client-address.ts';

const PROXIES = ['10.0.0.0/8', '192.0.2.1', '2001:db8:1::/48', '::1'];

function from(peer: string | undefined, forwarded?: string | string[]): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

describe('client address', () => {
  const proxies = new TrustedProxies(PROXIES);

  test.each<[string, string | undefined, string | string[] | undefined, string]>([
    ['a stranger', '203.0.113.7', undefined, '203.0.113.7'],
    ['a stranger who claims to forward', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['an IPv6 stranger', '2001:db8:2::1', '198.51.100.1', '2001:db8:2::1'],
    ['a stranger on a dual-stack socket', '::ffff:203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['a proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a proxy on a dual-stack socket', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['an IPv6 proxy', '2001:db8:1::5', '198.51.100.1', '198.51.100.1'],
    ['a proxy without the header', '10.0.0.1', undefined, '10.0.0.1'],
    ['a proxy with an empty header', '10.0.0.1', '', '10.0.0.1'],
    ['what the client wrote itself', '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['a chain of proxies', '10.0.0.1', '1.1.1.1, 198.51.100.1, 192.0.2.1, 10.9.9.9', '198.51.100.1'],
    ['a header sent twice', '10.0.0.1', ['1.1.1.1', '198.51.100.1'], '198.51.100.1'],
    ['only proxies', '10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.1'],
    ['an IPv6 client', '10.0.0.1', '2001:db8:2::7', '2001:db8:2::7'],
    ['a mapped client', '10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['garbage', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['garbage to the right of an address', '10.0.0.1', '198.51.100.1, <script>', '10.0.0.1'],
    ['an address with a port', '10.0.0.1', '198.51.100.1:4711', '10.0.0.1'],
    ['a socket that is gone', undefined, '198.51.100.1', ''],
  ])('of %s', (_label, peer, forwarded, expected) => {
    expect(clientAddress(from(peer, forwarded), proxies)).toBe(expected);
  });

  test('believes nobody unless told to', () => {
    expect(clientAddress(from('127.0.0.1', '198.51.100.1'), new TrustedProxies([]))).toBe('127.0.0.1');
  });

  test.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', false],
    ['127.evil.example', false],
    ['::2', false],
    ['', false],
  ])('%j is this machine: %s', (address, local) => {
    expect(isLoopbackAddress(address)).toBe(local);
  });

  test.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/x', '::1/129', '10.0.0', '', '/8'])(
    'refuses the proxy %j',
    (entry) => {
      expect(() => new TrustedProxies([entry])).toThrow(`trusted_proxies: ${JSON.stringify(entry)}`);
    },
  );

  test.each(['10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/ 8', '10.0.0.0/1e1', '10.0.0.0/0x8'])(
    'does not guess what %j means',
    (entry) => {
      expect(() => new TrustedProxies([entry])).toThrow('trusted_proxies');
    },
  );
});
