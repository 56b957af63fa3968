import { createHmac } from 'node:crypto';

/*
 * Every webhook is signed twice over the same bytes, so that a receiver can check it with what it has: in the way of its
 * protocol (the dialects stand in wire/), and as Standard Webhooks.
 *
 * | scheme | signed text | key |
 * | --- | --- | --- |
 * | a protocol's own | `<timestamp>.<body>` | the secret's text |
 * | `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>` | `<id>.<timestamp>.<body>` | what a Standard Webhooks library makes of the same text |
 *
 * Such a library cuts the prefix off and reads the rest as base64. The secrets that the server makes are 64 hex digits behind
 * the prefix, which are also well-formed base64 (of 48 bytes), so they go into a library as they are.
 */
export interface SignedRequest {
  /** The same over all attempts of one delivery, so that receivers can drop repeats. */
  readonly deliveryId: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  /** The bytes as sent; empty for a request without a body. */
  readonly body: string;
}

/** Makes the headers of a dialect. */
export type WebhookSigner = (request: SignedRequest) => Record<string, string>;

export interface SigningSecrets {
  readonly current: string;
  /** The one before, while it is still good: both schemes carry a second signature by it. */
  readonly previous?: string | undefined;
}

/** The hex digits of a protocol's own scheme: the key is the secret's text as it is shown. */
export function ownSignature(secret: string, { timestamp, body }: SignedRequest): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}

export function standardHeaders(
  keys: readonly Buffer[],
  { deliveryId, timestamp, body }: SignedRequest,
): Record<string, string> {
  const text = `${deliveryId}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`);
  return {
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** What a library of Standard Webhooks makes of a secret that begins with its prefix. */
export const standardKey = (secret: string, prefix: string): Buffer =>
  Buffer.from(secret.replace(prefix, ''), 'base64');
