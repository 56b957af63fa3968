import { isIP } from 'node:net';
import { type AddressRules, checkUrl, mayConnect, type UrlVerdict } from './address-rules.ts';
import type { Resolver } from './resolver.ts';

export type StoredUrlVerdict = UrlVerdict & { readonly warning?: string };

/** The check for a URL that a user wants to store: what `checkUrl` says, and where its name leads right now. */
export async function checkStoredUrl(
  text: string,
  rules: AddressRules,
  resolve: Resolver,
): Promise<StoredUrlVerdict> {
  const verdict = checkUrl(text, rules);
  if (!verdict.ok || isIP(verdict.target.host) !== 0) return verdict;
  const { target } = verdict;
  const addresses = await resolve(target.host).catch(() => []);
  if (addresses.length === 0) {
    if (rules.production) return { ok: false, problem: 'unresolved', detail: UNRESOLVED };
    return { ...verdict, warning: UNRESOLVED };
  }
  if (addresses.every((address) => mayConnect(address, target, rules))) return verdict;
  return {
    ok: false,
    problem: 'refused_address',
    detail: `${target.host} leads into a private or reserved range`,
  };
}

const UNRESOLVED = 'hostname did not resolve';
