import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deliverySigner } from './webhook-signer.ts';

const SECRET = `whsec_${'0123456789abcdef'.repeat(4)}`;
const OLD = `whsec_${'fedcba9876543210'.repeat(4)}`;
const request = { deliveryId: 'd-1', timestamp: 1_767_225_600, body: '{"a": 1}' };

describe('delivery › webhook signer', () => {
  test('signs timestamp and bytes with the whole secret', () => {
    const headers = deliverySigner({ current: SECRET })(request);
    const expected = createHmac('sha256', SECRET).update('1767225600.{"a": 1}').digest('hex');
    expect(headers).toMatchObject({
      'X-CueAPI-Delivery-Id': 'd-1',
      'X-CueAPI-Timestamp': '1767225600',
      'X-CueAPI-Signature': `v1=${expected}`,
    });
    expect(headers).not.toHaveProperty('X-CueAPI-Signature-Previous');
  });

  test('signs once more as Standard Webhooks, with the key its libraries read from our secret', () => {
    const headers = deliverySigner({ current: SECRET })(request);
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    expect(key).toHaveLength(48);
    const expected = createHmac('sha256', key).update('d-1.1767225600.{"a": 1}').digest('base64');
    expect(headers).toMatchObject({
      'webhook-id': 'd-1',
      'webhook-timestamp': '1767225600',
      'webhook-signature': `v1,${expected}`,
    });
  });

  test('a secret without the prefix is signed with as it is', () => {
    const bare = SECRET.slice('whsec_'.length);
    const [own, standard] = ['X-CueAPI-Signature', 'webhook-signature'].map((name) => [
      deliverySigner({ current: bare })(request)[name],
      deliverySigner({ current: SECRET })(request)[name],
    ]);
    expect(own?.[0]).not.toBe(own?.[1]);
    expect(standard?.[0]).toBe(standard?.[1]);
  });

  test('carries both signatures during an overlap, each good on its own', () => {
    const both = deliverySigner({ current: SECRET, previous: OLD })(request);
    const old = deliverySigner({ current: OLD })(request);
    const current = deliverySigner({ current: SECRET })(request);
    expect(both['X-CueAPI-Signature']).toBe(current['X-CueAPI-Signature']);
    expect(both['X-CueAPI-Signature-Previous']).toBe(old['X-CueAPI-Signature']);
    expect(both['webhook-signature']).toBe(`${current['webhook-signature']} ${old['webhook-signature']}`);
  });

  test('signs the empty string when there is no body', () => {
    const headers = deliverySigner({ current: SECRET })({ ...request, body: '' });
    expect(headers['X-CueAPI-Signature']).toBe(
      `v1=${createHmac('sha256', SECRET).update('1767225600.').digest('hex')}`,
    );
  });

  test('each attempt has a fresh timestamp and keeps the delivery id', () => {
    const first = deliverySigner({ current: SECRET })(request);
    const second = deliverySigner({ current: SECRET })({ ...request, timestamp: request.timestamp + 60 });
    expect(second['webhook-id']).toBe(first['webhook-id']);
    expect(second['X-CueAPI-Timestamp']).toBe('1767225660');
    expect(second['X-CueAPI-Signature']).not.toBe(first['X-CueAPI-Signature']);
  });
});
