import { hash, timingSafeEqual } from 'node:crypto';

/** How a secret rests in the store. Secrets are random and long, so one plain hash is enough: nothing can be guessed. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/**
 * Compares in a time that depends on the given text alone, never on where it differs from the secret or on how long the
 * secret is.
 */
export function secretsEqual(given: string, secret: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(secret);
  const sameLength = a.length === b.length;
  return timingSafeEqual(a, sameLength ? b : a) && sameLength;
}
