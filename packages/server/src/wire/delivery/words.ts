import type { DeliveryErrorCode } from '@parley/protocol/delivery/errors';
import { DeliveryError } from './errors.ts';

/** A word that a field holds, of those that it may hold. */
export function wordOf<Word extends string>(
  words: readonly Word[],
  given: string,
  field: string,
  otherwise: DeliveryErrorCode,
): Word {
  const known = words.find((word) => word === given);
  if (known !== undefined) return known;
  throw new DeliveryError(otherwise, `${field} must be one of ${words.join(', ')}`);
}
