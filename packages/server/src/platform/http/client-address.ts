import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { AddressList } from '../address-list.ts';

/** Decides whose `X-Forwarded-*` headers are believed: only those of configured proxies. */
export class TrustedProxies {
  readonly #list = new AddressList();
  readonly #empty: boolean;

  constructor(entries: readonly string[]) {
    this.#empty = entries.length === 0;
    for (const entry of entries) {
      if (this.#list.add(entry)) continue;
      throw new Error(`trusted_proxies: ${JSON.stringify(entry)} is not an address or CIDR`);
    }
  }

  has(address: string): boolean {
    return !this.#empty && this.#list.has(plainAddress(address));
  }
}

/** The socket's address, or the right-most untrusted entry of `X-Forwarded-For` behind a trusted proxy. */
export function clientAddress(request: IncomingMessage, proxies: TrustedProxies): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  if (!proxies.has(peer)) return peer;
  const header = request.headers['x-forwarded-for'];
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
  for (const hop of hops.toReversed()) {
    const address = plainAddress(hop.trim());
    if (isIP(address) === 0) break;
    if (!proxies.has(address)) return address;
  }
  return peer;
}

export function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** `::ffff:1.2.3.4` is the IPv4 address 1.2.3.4 seen through a dual-stack socket. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
