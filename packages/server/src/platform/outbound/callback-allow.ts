import { isIP } from 'node:net';
import { AddressList } from '../address-list.ts';
import { unmapped } from './address-ranges.ts';

/** The operator's exemptions: `host`, `host:port` or a CIDR range, for receivers on the own machine or network. */
export class CallbackAllow {
  readonly #hosts = new Map<string, Set<number> | 'any port'>();
  readonly #ranges = new AddressList();

  constructor(entries: readonly string[] = []) {
    for (const entry of entries) {
      if (!entry.includes('/')) this.#addHost(entry);
      else if (!this.#ranges.add(entry.trim())) throw new CallbackAllowError(entry);
    }
  }

  /** Named by the operator exactly as the URL names it: then neither its name nor its addresses are questioned. */
  permitsHost(host: string, port: number): boolean {
    const ports = this.#hosts.get(host);
    return ports === 'any port' || ports?.has(port) === true;
  }

  permitsAddress(address: string): boolean {
    return this.#ranges.has(unmapped(address));
  }

  #addHost(entry: string): void {
    const { host, port } = parseHost(entry);
    if (port === undefined) {
      this.#hosts.set(host, 'any port');
      return;
    }
    const ports = this.#hosts.get(host);
    if (ports === 'any port') return;
    if (ports) ports.add(port);
    else this.#hosts.set(host, new Set([port]));
  }
}

export class CallbackAllowError extends Error {
  override readonly name = 'CallbackAllowError';

  constructor(entry: string) {
    super(`callback_allow takes host, host:port or a CIDR range, not ${JSON.stringify(entry)}`);
  }
}

/** The name as it is compared: without brackets and without the dot that marks a complete domain name. */
export function bareHost(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function parseHost(entry: string): { host: string; port: number | undefined } {
  const text = entry.trim();
  const match = isIP(text) === 6 ? [text, `[${text}]`] : HOST_AND_PORT.exec(text);
  const [, name, digits] = match ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (!name || (port !== undefined && (port < 1 || port > 65_535))) throw new CallbackAllowError(entry);
  try {
    return { host: bareHost(new URL(`http://${name}/`).hostname), port };
  } catch {
    throw new CallbackAllowError(entry);
  }
}

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^\s:/?#@*[\]\\]+)(?::(\d{1,5}))?$/i;
