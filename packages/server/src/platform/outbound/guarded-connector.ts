import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { type AddressRules, mayConnect } from './address-rules.ts';
import type { Resolver } from './resolver.ts';
import { undici } from './undici.ts';

/** Thrown inside a connection attempt, before any packet, and turned into a result by the client. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

export class NameUnresolvedError extends Error {
  override readonly name = 'NameUnresolvedError';
}

export interface ConnectorOptions {
  host: string;
  port: number;
  rules: AddressRules;
  resolve: Resolver;
  connectTimeoutMs: number;
  /** Further certificate authorities to trust. */
  ca?: string | undefined;
}

/**
 * Opens sockets for one origin. The name is resolved here and nowhere else, every address is checked, and the socket gets
 * exactly the checked ones: a name server that answers differently the second time (DNS rebinding) has no second time.
 * TLS and `Host` keep the original name.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { host, rules, connectTimeoutMs, ca } = options;
  const lookup: LookupFunction = (_hostname, lookupOptions, answer) => {
    checkedAddresses(options).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const first = found[0];
        if (lookupOptions.all || !first) answer(null, found);
        else answer(null, first.address, first.family);
      },
      (error: Error) => answer(error, []),
    );
  };
  const connect = undici().buildConnector({
    timeout: connectTimeoutMs,
    lookup,
    allowH2: false,
    ...(ca ? { ca } : {}),
  });
  return (socketOptions, done) => {
    // A literal address is never looked up, so it is checked here.
    if (isIP(host) !== 0 && !mayConnect(host, options, rules)) {
      done(new AddressRefusedError(`${host} is in a private or reserved range`), null);
      return;
    }
    connect(socketOptions, done);
  };
}

async function checkedAddresses({
  host,
  port,
  rules,
  resolve,
}: ConnectorOptions): Promise<readonly string[]> {
  const addresses = await resolve(host).catch((error: unknown) => {
    throw new NameUnresolvedError(`${host} did not resolve`, { cause: error });
  });
  if (addresses.length === 0) throw new NameUnresolvedError(`${host} has no address`);
  // One bad address spoils the name: otherwise which one is tried first would decide.
  if (!addresses.every((address) => mayConnect(address, { host, port }, rules))) {
    throw new AddressRefusedError(`${host} leads into a private or reserved range`);
  }
  return addresses;
}
