import { expect, test } from 'vitest';
import { RoomError } from './viewer-api.ts';
import { closingInWords, keptInWords, refusalInWords, spanInWords } from './words.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const kept = (purgeBy: number, purgeGraceMs: number, isKept = false) =>
  keptInWords({ purgeBy, purgeGraceMs, isKept });

test.each([
  [-5 * SECOND, '0 s'],
  [1, '1 s'],
  [90 * SECOND, '90 s'],
  [91 * SECOND, '2 min'],
  [15 * MINUTE, '15 min'],
  [90 * MINUTE, '90 min'],
  [2 * HOUR, '2 h'],
  [23.4 * HOUR, '23 h'],
  [48 * HOUR, '48 h'],
  [7 * 24 * HOUR, '7 days'],
])('room viewer › %i ms are %s', (ms, words) => {
  expect(spanInWords(ms)).toBe(words);
});

test('room viewer › says why a room closed, also for reasons it does not know', () => {
  expect(closingInWords('turn_timeout')).toBe('The room was closed: nobody spoke in time');
  expect(closingInWords('something_new')).toBe('The room was closed');
});

test('room viewer › says when the words of a closed room go, as far as the server does', () => {
  const latest = /at the latest .*\d:\d\d/;
  expect(kept(0, 120 * SECOND)).toBe('Closed');
  expect(kept(HOUR, 120 * SECOND)).toMatch(/^Closed\. Deleted 2 min after the last reader leaves, at/);
  expect(kept(HOUR, 0)).toMatch(/^Closed\. Deleted once nobody reads it, at/);
  for (const grace of [0, SECOND]) expect(kept(HOUR, grace)).toMatch(latest);
  expect(kept(HOUR, 120 * SECOND, true)).toMatch(/^Closed\. Kept on the server until .*\d:\d\d/);
});

test('room viewer › every refusal says what to do, and never a code alone', () => {
  for (const status of [400, 403, 404, 410, 429, 500]) {
    const { title, text } = refusalInWords(new RoomError(status, { error: 'some_code' }));
    expect(title).not.toBe('');
    expect(text).not.toContain('some_code');
    expect(text).toMatch(/^[A-Z].*\.$/);
  }
  const limited = new RoomError(429, { error: 'rate_limited', retry_after_seconds: 40 });
  expect(refusalInWords(limited).text).toContain('Try again in 40 s.');
  expect(refusalInWords(new TypeError('fetch failed')).title).toBe('No connection');
});
