import { isIP } from 'node:net';
import { AddressList } from '../address-list.ts';

/**
 * Whether an address belongs to this machine, to a private network or to nobody in particular. What is no address at all
 * counts as such.
 */
export function isInternalAddress(address: string): boolean {
  const plain = withoutZone(address);
  const family = isIP(plain);
  if (family === 0 || INTERNAL.has(plain)) return true;
  return family === 6 && embeddedV4(groupsOf(plain)).some((inner) => INTERNAL.has(inner));
}

/** `::ffff:10.0.0.1` is the IPv4 address 10.0.0.1 to the operating system, so it is to us. */
export function unmapped(address: string): string {
  const plain = withoutZone(address);
  if (isIP(plain) !== 6) return plain;
  const groups = groupsOf(plain);
  return startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) ? dotted(groups, 6) : plain;
}

/** Every IPv4 address that a router may take out of an IPv6 one and send the packet to. */
function embeddedV4(groups: readonly number[]): string[] {
  const prefixes = EMBEDDING_PREFIXES.filter((prefix) => startsWith(groups, prefix));
  return prefixes.map((prefix) => dotted(groups, prefix.length));
}

/** The URL parser knows every spelling of an IPv6 address and writes one: compressed, in lower-case hex. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = !tail ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

function startsWith(groups: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((group, i) => groups[i] === group);
}

function dotted(groups: readonly number[], at: number): string {
  const high = groups[at] ?? 0;
  const low = groups[at + 1] ?? 0;
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function withoutZone(address: string): string {
  return address.split('%', 1)[0] ?? '';
}

/** IPv4-mapped, IPv4-compatible, IPv4-translated, NAT64, 6to4. */
const EMBEDDING_PREFIXES: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0xffff, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0x2002],
];

const INTERNAL = new AddressList();
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  // A cloud machine's own agent answers here, with the machine's secrets, although the range is a public one.
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // NAT64 prefixes that a network chooses for itself, so where they lead cannot be told.
  '64:ff9b:1::/48',
]) {
  INTERNAL.add(range);
}
