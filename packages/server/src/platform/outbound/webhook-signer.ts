import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import { createHmac } from 'node:crypto';

/*
 * Every webhook is signed twice over the same bytes, so that a receiver can check it with what it has: in the way of its
 * protocol, and as Standard Webhooks.
 *
 * | dialect | headers | signed text | key |
 * | --- | --- | --- | --- |
 * | delivery | `X-CueAPI-Timestamp`, `X-CueAPI-Signature: v1=<hex>` | `<timestamp>.<body>` | the secret's text as it is shown |
 * | rooms | `X-Areyouai-…` and `X-Parley-…`: `Timestamp`, `Signature: sha256=<hex>` | `<timestamp>.<body>` | the secret's text |
 * | both | `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>` | `<id>.<timestamp>.<body>` | what a Standard Webhooks library makes of the same text |
 *
 * Such a library cuts `whsec_` off and reads the rest as base64. The secrets that the server makes are `whsec_` and 64 hex
 * digits, which are also well-formed base64 (of 48 bytes), so they go into a library as they are. The secrets of rooms come
 * from their owners: one of another form signs with its text.
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

export function deliverySigner({ current, previous }: SigningSecrets): WebhookSigner {
  return (request) => {
    const keys = [current, previous].filter((secret) => secret !== undefined).map(base64Key);
    return {
      'X-CueAPI-Delivery-Id': request.deliveryId,
      'X-CueAPI-Timestamp': String(request.timestamp),
      'X-CueAPI-Signature': `v1=${ownSignature(current, request)}`,
      ...(previous !== undefined && {
        'X-CueAPI-Signature-Previous': `v1=${ownSignature(previous, request)}`,
      }),
      ...standardHeaders(keys, request),
    };
  };
}

export interface RoomHook {
  readonly type: string;
  readonly keyId: string;
  readonly secret: string;
}

/** The same facts under both names. */
export function roomSigner({ type, keyId, secret }: RoomHook): WebhookSigner {
  return (request) => {
    const facts = {
      Timestamp: String(request.timestamp),
      Signature: `sha256=${ownSignature(secret, request)}`,
      'Key-Id': keyId,
      'Event-Type': type,
      'Delivery-Id': request.deliveryId,
    };
    const named = ['X-Areyouai', 'X-Parley'].flatMap((name) =>
      Object.entries(facts).map(([fact, value]) => [`${name}-${fact}`, value]),
    );
    const key = STANDARD_FORM.test(secret) ? base64Key(secret) : Buffer.from(secret);
    return { ...Object.fromEntries(named), ...standardHeaders([key], request) };
  };
}

function ownSignature(secret: string, { timestamp, body }: SignedRequest): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}

function standardHeaders(
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

const STANDARD_FORM = /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const base64Key = (secret: string): Buffer =>
  Buffer.from(secret.replace(WEBHOOK_SECRET_PREFIX, ''), 'base64');
