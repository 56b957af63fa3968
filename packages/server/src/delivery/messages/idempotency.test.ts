import { describe, expect, test } from 'vitest';
import { type FingerprintedMessage, fingerprint, isIdempotencyKey, judgeKey } from './idempotency.ts';
import { threadOf } from './new-message.ts';

const message: FingerprintedMessage = {
  to: 'aaaaaaaaaaaa',
  from: 'bbbbbbbbbbbb',
  body: 'hello',
  subject: null,
  requestedPriority: 5,
  replyTo: null,
  metadata: { a: 1, b: { c: [1, 2] } },
  deliveryMode: 'auto',
  liveFallbackMode: 'background',
  sendAt: null,
  correlationId: null,
};

describe('idempotency › fingerprint', () => {
  test('is the same for the same request, however its metadata is ordered', () => {
    expect(fingerprint({ ...message, metadata: { b: { c: [1, 2] }, a: 1 } })).toBe(fingerprint(message));
    expect(fingerprint(message)).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each<[keyof FingerprintedMessage, Partial<FingerprintedMessage>]>([
    ['to', { to: 'cccccccccccc' }],
    ['from', { from: 'cccccccccccc' }],
    ['body', { body: 'hello ' }],
    ['subject', { subject: '' }],
    ['requestedPriority', { requestedPriority: 3 }],
    ['replyTo', { replyTo: 'msg_a' }],
    ['metadata', { metadata: { a: 1, b: { c: [2, 1] } } }],
    ['deliveryMode', { deliveryMode: 'live' }],
    ['liveFallbackMode', { liveFallbackMode: 'none' }],
    ['sendAt', { sendAt: 1 }],
    ['correlationId', { correlationId: 'x' }],
  ])('changes with %s', (_, change) => {
    expect(fingerprint({ ...message, ...change })).not.toBe(fingerprint(message));
  });
});

describe('idempotency › key', () => {
  const DAY = 86_400_000;
  const stored = { fingerprint: 'f', createdAt: 1000 };

  test('repeats, conflicts, and is free again after its window', () => {
    expect(judgeKey(undefined, 'f', 1000, DAY)).toBe('free');
    expect(judgeKey(stored, 'f', 1000 + DAY - 1, DAY)).toBe('repeat');
    expect(judgeKey(stored, 'g', 1000 + DAY - 1, DAY)).toBe('conflict');
    expect(judgeKey(stored, 'g', 1000 + DAY, DAY)).toBe('free');
  });

  test.each([
    ['', false],
    ['a', true],
    ['k'.repeat(255), true],
    ['k'.repeat(256), false],
    ['a\0b', false],
    ['clé', true],
  ])('%j is a key: %s', (key, expected) => {
    expect(isIdempotencyKey(key)).toBe(expected);
  });
});

describe('threads', () => {
  test('a first message opens its own; a reply stays in the thread of its parent', () => {
    expect(threadOf('msg_1', undefined)).toBe('msg_1');
    expect(threadOf('msg_3', { thread_id: 'msg_1' })).toBe('msg_1');
  });
});
