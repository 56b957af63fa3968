import { BlockList, isIP } from 'node:net';

/** Addresses and ranges of both families. */
export class AddressList {
  readonly #list = new BlockList();

  /** An address, or a range as CIDR. False when it is neither. */
  add(entry: string): boolean {
    const [, address = '', digits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const family = isIP(address);
    const widest = family === 6 ? 128 : 32;
    const bits = digits === undefined ? widest : Number(digits);
    if (family === 0 || bits > widest) return false;
    this.#list.addSubnet(address, bits, `ipv${family === 6 ? 6 : 4}`);
    return true;
  }

  /** False for what is no address. */
  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}
