import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import {
  ownSignature,
  standardHeaders,
  standardKey,
  type WebhookSigner,
} from '../../platform/outbound/webhook-signer.ts';

export interface RoomHook {
  readonly type: string;
  readonly keyId: string;
  readonly secret: string;
}

/** `sha256=<hex>`, and the same facts under both names. */
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
    const key = STANDARD_FORM.test(secret) ? standardKey(secret, WEBHOOK_SECRET_PREFIX) : Buffer.from(secret);
    return { ...Object.fromEntries(named), ...standardHeaders([key], request) };
  };
}

/** The secrets of rooms come from their owners: one of another form signs with its text. */
const STANDARD_FORM = /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
