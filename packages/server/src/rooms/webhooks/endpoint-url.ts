import { isIP } from 'node:net';
import { type AddressRules, checkUrl, type Target } from '../../platform/outbound/address-rules.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';

/**
 * What may be stored as an endpoint, judged by its text alone: where a name leads is checked at every delivery, and a
 * resolver that is down must not keep anyone from setting up a webhook.
 */
export function mustBeEndpointUrl(text: string, rules: AddressRules): void {
  // The URL parser drops some of these silently, so that what is called would differ from what was shown.
  if (/[\s\p{Cc}]/u.test(text)) throw refusal('may not contain white space');
  const verdict = checkUrl(text, rules);
  if (!verdict.ok) throw refusal(verdict.detail);
  if (/[?#]/.test(text)) throw refusal('may not have a query or a fragment');
  const { target } = verdict;
  if (target.url.protocol === 'http:' && !isAllowedLoopback(target, rules)) {
    throw refusal('must be https, or http on a loopback host that the operator allows');
  }
}

function isAllowedLoopback({ host, port }: Target, { allow }: AddressRules): boolean {
  const loopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return loopback && (allow.permitsHost(host, port) || (isIP(host) !== 0 && allow.permitsAddress(host)));
}

function refusal(problem: string): RoomsError {
  return new RoomsError('invalid_request', `url: ${problem}.`);
}
