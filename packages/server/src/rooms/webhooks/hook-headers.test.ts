import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { hookHeaders, hookSignature } from './hook-headers.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const body = '{"event_id":7,"type":"message.created"}';
const hook = { deliveryId: 'whd_k8Zr2XwQv5nTmC1y', type: 'message.created', keyId: 'v1', body };

describe('room webhook › headers', () => {
  test('sign as the vector says', () => {
    expect(hookSignature('hook-secret-1', 1780304460, body)).toBe(
      'sha256=717f1db8e82612ef01dae0882e0bff7e783f8720e639171c4667540dd32d20ad',
    );
  });

  test('come under both names', () => {
    const headers = hookHeaders({ ...hook, secret: 'hook-secret-1', timestamp: 1780304460 });
    for (const name of ['X-Areyouai', 'X-Parley']) {
      expect(headers).toMatchObject({
        [`${name}-Timestamp`]: '1780304460',
        [`${name}-Signature`]: 'sha256=717f1db8e82612ef01dae0882e0bff7e783f8720e639171c4667540dd32d20ad',
        [`${name}-Key-Id`]: 'v1',
        [`${name}-Event-Type`]: 'message.created',
        [`${name}-Delivery-Id`]: 'whd_k8Zr2XwQv5nTmC1y',
      });
    }
    expect(headers).toMatchObject({
      'Content-Type': 'application/json',
      'User-Agent': 'parley-webhook/1',
    });
  });

  test('verify with the Standard Webhooks library, for a plain secret', () => {
    const headers = hookHeaders({ ...hook, secret: 'hook-secret-1', timestamp: now() });
    expect(new Webhook('hook-secret-1', { format: 'raw' }).verify(body, headers)).toEqual(JSON.parse(body));
    const encoded = `whsec_${Buffer.from('hook-secret-1').toString('base64')}`;
    expect(new Webhook(encoded).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook('another-secret', { format: 'raw' }).verify(body, headers)).toThrow();
    expect(() => new Webhook('hook-secret-1', { format: 'raw' }).verify(`${body} `, headers)).toThrow();
  });

  test('verify with the Standard Webhooks library, for a secret of its own form', () => {
    for (const secret of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${'0f'.repeat(32)}`]) {
      const headers = hookHeaders({ ...hook, secret, timestamp: now() });
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }
  });
});
