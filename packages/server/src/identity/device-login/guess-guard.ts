import { DeliveryError, mustPass, rateLimitExceeded } from '../../wire/delivery/errors.ts';
import type { Limiter } from '../../platform/limits/limiter.ts';

const WRONG: ReadonlySet<string> = new Set([
  'invalid_device_code',
  'invalid_token',
  'invalid_session',
  'invalid_api_key',
]);

/** From here on a code is too long to be found by trying, even if it is made of digits alone. */
const UNGUESSABLE_LENGTH = 16;

/**
 * Trying codes, tokens and sessions of others is slow: what was wrong counts by address. Beyond the limit a long secret
 * passes still, so that a neighbour behind the same address locks nobody out. A short code does not: the program that
 * made it up chose its length, and whoever tries on would find it otherwise.
 */
export class GuessGuard {
  readonly #failures: Limiter;
  /** Tries by address whose outcome is open: many at once count as if all of them were wrong. */
  readonly #open = new Map<string, number>();

  constructor(failures: Limiter) {
    this.#failures = failures;
  }

  async code<T>(address: string, code: string, attempt: () => Promise<T>): Promise<T> {
    if (code.length >= UNGUESSABLE_LENGTH) return await this.secret(address, attempt);
    const open = (this.#open.get(address) ?? 0) + 1;
    this.#open.set(address, open);
    try {
      mustPass(await this.#failures.peek(address, open));
      return await this.secret(address, attempt);
    } finally {
      const left = (this.#open.get(address) ?? 1) - 1;
      if (left === 0) this.#open.delete(address);
      else this.#open.set(address, left);
    }
  }

  async secret<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DeliveryError) || !WRONG.has(error.code)) throw error;
      const verdict = await this.#failures.take(address);
      throw verdict.ok ? error : rateLimitExceeded(verdict);
    }
  }
}
