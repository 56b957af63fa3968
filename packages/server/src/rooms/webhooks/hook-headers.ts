import { createHmac } from 'node:crypto';
import { standardWebhookHeaders } from '../../platform/outbound/standard-webhooks.ts';

export interface Hook {
  readonly deliveryId: string;
  readonly type: string;
  readonly keyId: string;
  readonly secret: string;
  /** Unix seconds of the attempt: it changes with every retry, the rest stays. */
  readonly timestamp: number;
  readonly body: string;
}

/** The same facts under both names, and the Standard Webhooks headers for receivers that know only those. */
export function hookHeaders(hook: Hook): Record<string, string> {
  const { deliveryId, type, keyId, secret, timestamp, body } = hook;
  const facts = {
    Timestamp: String(timestamp),
    Signature: hookSignature(secret, timestamp, body),
    'Key-Id': keyId,
    'Event-Type': type,
    'Delivery-Id': deliveryId,
  };
  const named = ['X-Areyouai', 'X-Parley'].flatMap((name) =>
    Object.entries(facts).map(([fact, value]) => [`${name}-${fact}`, value]),
  );
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'parley-webhook/1',
    ...Object.fromEntries(named),
    ...standardWebhookHeaders(secret, { id: deliveryId, timestamp, body }),
  };
}

export function hookSignature(secret: string, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
