import { createHmac } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';

/**
 * Every outgoing request is signed twice over the same bytes, so that a receiver can check it with what it has.
 *
 * | headers | signed text | key |
 * | --- | --- | --- |
 * | `X-CueAPI-Timestamp`, `X-CueAPI-Signature: v1=<hex>` | `<timestamp>.<body>` | the secret's text as it is shown, `whsec_` included |
 * | `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>` | `<id>.<timestamp>.<body>` | what a Standard Webhooks library makes of the same text: `whsec_` cut off, the rest read as base64 |
 *
 * Our secrets are `whsec_` and 64 hex digits. 64 hex digits are also well-formed base64 (of 48 bytes), so the secret
 * goes into such a library as it is and neither side has to know of the other. During a rotation with overlap both
 * schemes carry a second signature by the old secret.
 */
export interface SigningSecrets {
  readonly current: string;
  /** The one before, while it is still good. */
  readonly previous?: string | undefined;
}

export interface SignedRequest {
  /** The same over all attempts of one delivery, so that receivers can drop repeats. */
  readonly deliveryId: string;
  readonly now: number;
  /** The bytes as sent; empty for a request without a body. */
  readonly body: string;
}

export function signatureHeaders(
  { current, previous }: SigningSecrets,
  { deliveryId, now, body }: SignedRequest,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const own = (secret: string) => `v1=${ownSignature(secret, timestamp, body)}`;
  const standard = (secret: string) => `v1,${standardSignature(secret, deliveryId, timestamp, body)}`;
  const standards = previous === undefined ? [standard(current)] : [standard(current), standard(previous)];
  return {
    'X-CueAPI-Delivery-Id': deliveryId,
    'X-CueAPI-Timestamp': timestamp,
    'X-CueAPI-Signature': own(current),
    ...(previous !== undefined && { 'X-CueAPI-Signature-Previous': own(previous) }),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standards.join(' '),
  };
}

function ownSignature(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}

function standardSignature(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.replace(WEBHOOK_SECRET_PREFIX, ''), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
}
