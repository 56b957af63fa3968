/** Names that lead to the machine of the page, whoever looks them up. */
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a page may speak to this endpoint at all. A page of any site can make a browser send requests to this machine, and
 * give its own name the address of it; tools answer only to pages of the machine itself and of origins that were named.
 */
export function mayAsk(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes(origin)) return true;
  const { protocol, hostname } = URL.canParse(origin) ? new URL(origin) : { protocol: '', hostname: '' };
  return (protocol === 'http:' || protocol === 'https:') && LOCAL.has(hostname);
}
