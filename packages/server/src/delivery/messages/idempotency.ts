import { hash } from 'node:crypto';
import { MAX_IDEMPOTENCY_KEY } from '@parley/protocol/delivery/limits';
import type { DeliveryMode, LiveFallbackMode } from '@parley/protocol/delivery/vocabulary';
import { type Json, signedJson } from '../../wire/delivery/signed-json.ts';

/**
 * An `Idempotency-Key` belongs to the sending owner for 24 hours. The same request again gets the stored message and is
 * counted against nothing; another request under the same key is a conflict.
 */
export function isIdempotencyKey(key: string): boolean {
  return key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY && !/[\p{Cc}\p{Cs}]/u.test(key);
}

export interface FingerprintedMessage {
  readonly to: string;
  readonly from: string;
  readonly body: string;
  readonly subject: string | null;
  /** As asked for: a downgrade must not turn an honest retry into a conflict. */
  readonly requestedPriority: number;
  readonly replyTo: string | null;
  readonly metadata: { readonly [key: string]: Json };
  readonly deliveryMode: DeliveryMode;
  readonly liveFallbackMode: LiveFallbackMode;
  readonly sendAt: number | null;
  readonly correlationId: string | null;
}

/** Over everything that makes it this message. The order of metadata keys says nothing, so it changes nothing. */
export function fingerprint(message: FingerprintedMessage): string {
  return hash('sha256', signedJson({ ...message }), 'hex');
}

export interface StoredKey {
  readonly fingerprint: string;
  readonly createdAt: number;
}

export type KeyVerdict = 'free' | 'repeat' | 'conflict';

export function judgeKey(
  stored: StoredKey | undefined,
  wanted: string,
  now: number,
  windowMs: number,
): KeyVerdict {
  if (!stored || now >= stored.createdAt + windowMs) return 'free';
  return stored.fingerprint === wanted ? 'repeat' : 'conflict';
}
