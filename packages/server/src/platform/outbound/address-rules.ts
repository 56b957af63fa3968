import { isIP } from 'node:net';
import { isInternalAddress } from './address-ranges.ts';
import { bareHost, type CallbackAllow } from './callback-allow.ts';

/** Where the server may send requests on behalf of its users. */
export interface AddressRules {
  /** Production: `https` only, and a name must resolve when it is stored. */
  production: boolean;
  allow: CallbackAllow;
}

/** A URL that may be called as far as its text tells. Where its name leads is checked when connecting. */
export interface Target {
  url: URL;
  /** Without brackets and trailing dot. */
  host: string;
  port: number;
}

export type UrlProblem =
  | 'malformed'
  | 'scheme'
  | 'user_info'
  | 'refused_name'
  | 'refused_address'
  | 'unresolved';

export type UrlVerdict =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly problem: UrlProblem; readonly detail: string };

export function checkUrl(text: string, rules: AddressRules): UrlVerdict {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return refusal('malformed', 'not a URL');
  // The parser forgives `http:///path` and takes the path for the host.
  if (/^https?:\/\/\//i.test(text.trim())) return refusal('malformed', 'has no host');
  if (url.protocol !== 'https:' && (rules.production || url.protocol !== 'http:')) {
    return refusal('scheme', rules.production ? 'must be https' : 'must be http or https');
  }
  // `https://trusted.example@10.0.0.1/` shows one host to a reader and calls another.
  if (url.username !== '' || url.password !== '') return refusal('user_info', 'must not carry user info');
  const host = bareHost(url.hostname);
  const target: Target = { url, host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) };
  if (host.split('.').includes('') && isIP(host) === 0)
    return refusal('malformed', 'host has an empty label');
  if (rules.allow.permitsHost(host, target.port)) return { ok: true, target };
  if (isRefusedName(host)) return refusal('refused_name', `${host} is not allowed`);
  if (isIP(host) !== 0 && !mayConnect(host, target, rules)) {
    return refusal('refused_address', `${host} is in a private or reserved range`);
  }
  return { ok: true, target };
}

/** Asked for every address of a name, before the first packet. */
export function mayConnect(
  address: string,
  target: Pick<Target, 'host' | 'port'>,
  rules: AddressRules,
): boolean {
  if (isIP(address) === 0) return false;
  return (
    !isInternalAddress(address) ||
    rules.allow.permitsHost(target.host, target.port) ||
    rules.allow.permitsAddress(address)
  );
}

function isRefusedName(host: string): boolean {
  return REFUSED_NAMES.has(host) || host.endsWith('.localhost');
}

/** Names of this machine, and of the services that hand out a cloud machine's own credentials. */
const REFUSED_NAMES = new Set(['localhost', 'metadata.google.internal', 'metadata.internal']);

function refusal(problem: UrlProblem, detail: string): UrlVerdict {
  return { ok: false, problem, detail };
}
