import { BlockList, isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';

/** Decides whose `X-Forwarded-*` headers are believed: only those of configured proxies. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #empty: boolean;

  constructor(entries: readonly string[]) {
    this.#empty = entries.length === 0;
    for (const entry of entries) this.#add(entry);
  }

  has(address: string): boolean {
    if (this.#empty) return false;
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }

  #add(entry: string): void {
    const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const family = isIP(address);
    const bits = prefix === undefined ? undefined : Number(prefix);
    const widest = family === 6 ? 128 : 32;
    if (family === 0 || (bits !== undefined && bits > widest)) {
      throw new Error(`trusted_proxies: ${JSON.stringify(entry)} is not an address or CIDR`);
    }
    const type = family === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) this.#list.addAddress(address, type);
    else this.#list.addSubnet(address, bits, type);
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
