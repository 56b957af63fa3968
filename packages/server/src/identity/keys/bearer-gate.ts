import { bearerToken } from '../../platform/auth/bearer.ts';
import type { Limiter } from '../../platform/limits/limiter.ts';
import type { Admission } from '../../wire/caller.ts';
import type { Credentials } from './credentials.ts';

/**
 * From an `Authorization` header to a caller. Failures are counted per address, and beyond the limit they are told to
 * wait; a good credential always passes, because secrets are too long to guess and a neighbour behind the same address
 * must not be able to lock anyone out.
 */
export class BearerGate {
  readonly #credentials: Credentials;
  readonly #failures: Limiter;

  constructor(credentials: Credentials, failures: Limiter) {
    this.#credentials = credentials;
    this.#failures = failures;
  }

  async admit(authorization: string | undefined, address: string): Promise<Admission> {
    const token = bearerToken(authorization);
    if (token === undefined) return { kind: 'refused', reason: 'missing' };
    const identified = await this.#credentials.identify(token);
    if (identified.kind === 'caller') return identified;
    return (await this.failed(address)) ?? { kind: 'refused', reason: identified.kind };
  }

  /** Counts one failed attempt, also of credentials that other modules know; says so when there were too many. */
  async failed(address: string): Promise<Extract<Admission, { kind: 'limited' }> | undefined> {
    const verdict = await this.#failures.take(address);
    if (verdict.ok) return undefined;
    const { ok: _ok, ...wait } = verdict;
    return { kind: 'limited', ...wait };
  }
}
