import { expect, test } from 'vitest';
import { cronWords } from './cron-words.ts';

test.each([
  ['* * * * *', 'every minute'],
  ['*/15 * * * *', 'every 15 minutes'],
  ['0 * * * *', 'every hour'],
  ['5 * * * *', 'every hour at 05 past'],
  ['0 */6 * * *', 'every 6 hours at 00 past'],
  ['0 6 * * *', 'at 06:00'],
  ['@daily', 'at 00:00'],
  ['30 6,18 * * 1-5', 'on weekdays, at 06:30 and 18:30'],
  ['0 9 * * mon', 'on Monday, at 09:00'],
  ['0 9 * * 0,6', 'at the weekend, at 09:00'],
  ['0 9 1 * *', 'on day 1 of the month, at 09:00'],
  ['0 9 1 2 *', undefined],
  ['0 9-17 * * *', undefined],
  ['0 9 1 * 1', undefined],
  ['soon', undefined],
  ['0 9 * * noday', undefined],
])('%s is said as %s', (cron, words) => {
  expect(cronWords(cron)).toBe(words);
});
