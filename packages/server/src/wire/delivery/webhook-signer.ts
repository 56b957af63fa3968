import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import {
  ownSignature,
  type SigningSecrets,
  standardHeaders,
  standardKey,
  type WebhookSigner,
} from '../../platform/outbound/webhook-signer.ts';

/** `v1=<hex>`, with a second one while the secret before is still good. */
export function deliverySigner({ current, previous }: SigningSecrets): WebhookSigner {
  return (request) => {
    const secrets = [current, previous].filter((secret) => secret !== undefined);
    const keys = secrets.map((secret) => standardKey(secret, WEBHOOK_SECRET_PREFIX));
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
