import { describe, expect, test } from 'vitest';
import { CHANNEL_ERRORS, isChannelErrorCode } from './errors.ts';
import { eventSchema, joinRequestSchema, pollAnswerSchema, sendRequestSchema } from './wire.ts';

describe('channel wire schemas', () => {
  test('take the three event types and the notice', () => {
    const base = { index: 0, timestamp: 1_760_000_000_000 };
    for (const event of [
      { ...base, type: 'message', from: 'a', text: 'blob' },
      { ...base, type: 'join', from: 'a' },
      { ...base, type: 'leave', from: 'a' },
      { ...base, type: 'system', reason: 'evicted_idle' },
    ]) {
      expect(eventSchema.parse(event)).toEqual(event);
    }
    expect(eventSchema.safeParse({ ...base, type: 'message', from: 'a' }).success).toBe(false);
    expect(eventSchema.safeParse({ ...base, type: 'join', from: 'a', index: -1 }).success).toBe(false);
  });

  test('hold the limits of names and texts', () => {
    expect(joinRequestSchema.safeParse({ token: 't', name: 'a\nb' }).success).toBe(false);
    expect(joinRequestSchema.safeParse({ token: 't', name: 'a' }).success).toBe(true);
    const send = { token: 't', participant_id: 'p' };
    expect(sendRequestSchema.safeParse({ ...send, text: 'x'.repeat(65_536) }).success).toBe(true);
    expect(sendRequestSchema.safeParse({ ...send, text: 'x'.repeat(65_537) }).success).toBe(false);
  });

  test('ignore unknown fields of an answer', () => {
    expect(pollAnswerSchema.parse({ messages: [], cursor: 3, later: true })).toEqual({
      messages: [],
      cursor: 3,
    });
  });
});

describe('channel error catalogue', () => {
  test('gives each code a status of its kind and a hint', () => {
    for (const [code, { status, hint }] of Object.entries(CHANNEL_ERRORS)) {
      expect(code).toMatch(/^[a-z_]+$/);
      expect([400, 404, 405, 413, 429, 500, 503]).toContain(status);
      expect(hint.endsWith('.')).toBe(true);
    }
    expect(isChannelErrorCode('name_taken')).toBe(true);
    expect(isChannelErrorCode('toString')).toBe(false);
  });
});
