import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { claimableQuery, outcomeReport } from './requests/execution-schemas.ts';
import { isCueId, isExecutionId, isMessageId } from './ids.ts';
import { inboxQuery, messageCreate } from './requests/message-schemas.ts';
import { DELIVERY_ROUTES } from './routes.ts';

const problems = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ path, code }) => path.join('.') || code) ?? [];
const message = (fields: object) => problems(messageCreate, { to: 'a', body: 'x', ...fields });

const withFallback = (live_fallback_mode: string) =>
  messageCreate.parse({ to: 'a', body: 'x', live_fallback_mode });

describe('message › shape', () => {
  test('fills in what is left out, or sent as null', () => {
    const expected = {
      to: 'a@b',
      body: 'hi',
      delivery_mode: 'auto',
      live_fallback_mode: 'background',
      priority: 3,
      expects_reply: false,
      metadata: {},
      notify: [],
    };
    expect(messageCreate.parse({ to: 'a@b', message: 'hi' })).toMatchObject(expected);
    const nulls = { priority: null, metadata: null, notify: null, delivery_mode: null, subject: null };
    expect(messageCreate.parse({ to: 'a@b', body: 'hi', ...nulls })).toMatchObject(expected);
  });

  test('takes the text under either name, not two different ones', () => {
    expect(messageCreate.parse({ to: 'a', body: 'x', message: 'x' }).body).toBe('x');
    expect(message({ message: 'y' })).toEqual(['message']);
    expect(problems(messageCreate, { to: 'a' })).toEqual(['body']);
    expect(problems(messageCreate, { to: 'a', body: null })).toEqual(['body']);
  });

  test('names every field that is wrong, a missing text among them', () => {
    expect(problems(messageCreate, {})).toEqual(['to', 'body']);
    expect(problems(messageCreate, { priority: 9 })).toEqual(['to', 'priority', 'body']);
    expect(problems(messageCreate, { body: 5 })).toEqual(['to', 'body']);
    for (const other of [[], null, 'x']) expect(problems(messageCreate, other)).toEqual(['invalid_type']);
  });

  test('measures the text in bytes', () => {
    expect(message({ body: 'x'.repeat(32_768) })).toEqual([]);
    expect(message({ body: 'x'.repeat(32_769) })).toEqual(['body']);
    expect(message({ body: 'é'.repeat(16_384) })).toEqual([]);
    expect(message({ body: `${'é'.repeat(16_384)}x` })).toEqual(['body']);
    expect(message({ body: '' })).toEqual(['body']);
    expect(message({ body: 'a\0b' })).toEqual(['body']);
    expect(message({ body: '\ud800' })).toEqual(['body']);
    expect(message({ body: 'line\nand\ttab 😀' })).toEqual([]);
  });

  test('knows two spellings of the background fallback, and stores one', () => {
    expect(withFallback('fallback_to_background').live_fallback_mode).toBe('background');
    expect(withFallback('live_only').live_fallback_mode).toBe('live_only');
  });

  test.each<[object, string]>([
    [{ delivery_mode: 'fax' }, 'delivery_mode'],
    [{ live_fallback_mode: 'bg' }, 'live_fallback_mode'],
    [{ priority: 0 }, 'priority'],
    [{ priority: 6 }, 'priority'],
    [{ priority: 2.5 }, 'priority'],
    [{ subject: 'x'.repeat(256) }, 'subject'],
    [{ correlation_id: 'x'.repeat(256) }, 'correlation_id'],
    [{ ttl_seconds: 59 }, 'ttl_seconds'],
    [{ ttl_seconds: 31_536_001 }, 'ttl_seconds'],
    [{ ttl_seconds: 60, expires_at: '2030-01-01T00:00:00Z' }, 'expires_at'],
    [{ send_at: 'tomorrow' }, 'send_at'],
    [{ send_at: '9999-12-31T23:59:59-01:00' }, 'send_at'],
    [{ send_at: '0000-01-01T00:00:00+01:00' }, 'send_at'],
    [{ notify: Array(11).fill('a') }, 'notify'],
    [{ metadata: [] }, 'metadata'],
    [{ colour: 'red' }, 'unrecognized_keys'],
  ])('refuses %j', (fields, place) => {
    expect(message(fields)).toEqual([place]);
  });

  test.each([
    ['2026-01-01T12:00:00Z', Date.UTC(2026, 0, 1, 12)],
    ['2026-01-01T12:00:00+02:00', Date.UTC(2026, 0, 1, 10)],
    ['2026-01-01T12:00:00', Date.UTC(2026, 0, 1, 12)],
    ['2026-01-01T12:00:00.5Z', Date.UTC(2026, 0, 1, 12, 0, 0, 500)],
    ['2026-01-01t12:00:00z', Date.UTC(2026, 0, 1, 12)],
    ['9999-12-31T23:59:59.999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
  ])('reads %s in its zone, else in UTC', (send_at, expected) => {
    expect(messageCreate.parse({ to: 'a', body: 'x', send_at }).send_at).toBe(expected);
  });
});

describe('queries', () => {
  test('have defaults and bounds', () => {
    expect(inboxQuery.parse({})).toEqual({ limit: 50, offset: 0, count_only: false, peek: false });
    expect(inboxQuery.parse({ limit: '200', wait: '25', peek: 'true' })).toMatchObject({
      limit: 200,
      wait: 25,
      peek: true,
    });
    for (const query of [{ limit: '201' }, { limit: '0' }, { wait: '26' }, { wait: '0' }, { peek: 'yes' }]) {
      expect(problems(inboxQuery, query)).toEqual(Object.keys(query));
    }
    expect(problems(claimableQuery, { mode: 'webhook' })).toEqual(['mode']);
  });
});

describe('outcome › shape', () => {
  test('needs success; ignores what it does not know; bounds the rest', () => {
    expect(problems(outcomeReport, {})).toEqual(['success']);
    expect(outcomeReport.parse({ success: true, colour: 'red' })).toEqual({ success: true });
    expect(problems(outcomeReport, { success: true, result: 'x'.repeat(2001) })).toEqual(['result']);
    expect(problems(outcomeReport, { success: true, executed_via: 'x'.repeat(51) })).toEqual([
      'executed_via',
    ]);
    expect(problems(outcomeReport, { success: true, delivery_route: 'pigeon' })).toEqual(['delivery_route']);
    expect(problems(outcomeReport, { success: true, result_url: 'nope' })).toEqual(['result_url']);
  });
});

test('ids are told apart by shape', () => {
  expect(isMessageId('msg_abcdefghij12')).toBe(true);
  expect(isCueId('cue_abcdefghij12')).toBe(true);
  expect(isExecutionId('0b1e6d0e-6a5c-4d8b-9f0f-2b8f6e1f7c11')).toBe(true);
  for (const other of ['send', 'msg_short', 'MSG_abcdefghij12', 'cue_sk_abcdefghij', '0B1E6D0E', '']) {
    expect([isMessageId(other), isCueId(other), isExecutionId(other)]).toEqual([false, false, false]);
  }
});

test('every route has a name and a place of its own', () => {
  const names = DELIVERY_ROUTES.map(({ name }) => name);
  const places = DELIVERY_ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(places).size).toBe(places.length);
  for (const { summary } of DELIVERY_ROUTES) expect(summary).toMatch(/^[A-Z].*\.?$/);
});
