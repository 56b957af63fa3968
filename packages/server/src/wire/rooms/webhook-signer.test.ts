import { describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { roomSigner } from './webhook-signer.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const ROOM_BODY = '{"event_id":7,"type":"message.created"}';
const hook = { type: 'message.created', keyId: 'v1' };
const roomHeaders = (secret: string, timestamp: number): Record<string, string> =>
  roomSigner({ ...hook, secret })({ deliveryId: 'whd_k8Zr2XwQv5nTmC1y', timestamp, body: ROOM_BODY });

describe('rooms › webhook signer', () => {
  test('come under both names, signed as the vector says', () => {
    const headers = roomHeaders('hook-secret-1', 1780304460);
    for (const name of ['X-Areyouai', 'X-Parley']) {
      expect(headers).toMatchObject({
        [`${name}-Timestamp`]: '1780304460',
        [`${name}-Signature`]: 'sha256=717f1db8e82612ef01dae0882e0bff7e783f8720e639171c4667540dd32d20ad',
        [`${name}-Key-Id`]: 'v1',
        [`${name}-Event-Type`]: 'message.created',
        [`${name}-Delivery-Id`]: 'whd_k8Zr2XwQv5nTmC1y',
      });
    }
  });

  test('verify with the Standard Webhooks library, for a plain secret', () => {
    const headers = roomHeaders('hook-secret-1', now());
    expect(new Webhook('hook-secret-1', { format: 'raw' }).verify(ROOM_BODY, headers)).toEqual(
      JSON.parse(ROOM_BODY),
    );
    const encoded = `whsec_${Buffer.from('hook-secret-1').toString('base64')}`;
    expect(new Webhook(encoded).verify(ROOM_BODY, headers)).toEqual(JSON.parse(ROOM_BODY));
    expect(() => new Webhook('another-secret', { format: 'raw' }).verify(ROOM_BODY, headers)).toThrow();
    expect(() => new Webhook('hook-secret-1', { format: 'raw' }).verify(`${ROOM_BODY} `, headers)).toThrow();
  });

  test('verify with the Standard Webhooks library, for a secret of its own form', () => {
    for (const secret of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${'0f'.repeat(32)}`]) {
      const headers = roomHeaders(secret, now());
      expect(new Webhook(secret).verify(ROOM_BODY, headers)).toEqual(JSON.parse(ROOM_BODY));
    }
  });
});
