import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { isAway, isFull, NeverBegunError, TransactionFailedError } from './errors.ts';

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a database that is away', () => {
  test('is told from a connection that was closed before the statement was sent', async () => {
    const client = new Client({ host: '127.0.0.1', port: 1 });
    await failureOf(client.connect());
    expect(isAway(await failureOf(client.query('SELECT 1')))).toBe(true);
    await client.end();
    expect(isAway(await failureOf(client.query('SELECT 1')))).toBe(true);
  });

  test('is told from a write that found no connection, whatever the reason', () => {
    expect(isAway(new NeverBegunError(new Error('anything')))).toBe(true);
  });

  test.each([
    'timeout expired',
    'Connection terminated unexpectedly',
    'Client was closed and is not queryable',
  ])('is told from the words "%s" of the client, also as the cause', (words) => {
    expect(isAway(new TransactionFailedError(new Error(words)))).toBe(true);
  });

  test.each([
    ['a name that nobody resolves', 'ENOTFOUND'],
    ['a name that nobody resolves now', 'EAI_AGAIN'],
    ['a write undone for another', '40001'],
    ['a write undone so that others end', '40P01'],
    ['a copy that takes no writes', '25006'],
  ])('is told from %s', (_, code) => {
    expect(isAway(new TransactionFailedError(Object.assign(new Error(code), { code })))).toBe(true);
  });

  test('is not what is wrong with a statement that was answered', () => {
    expect(isAway(Object.assign(new Error('syntax error'), { code: '42601' }))).toBe(false);
  });
});

test.each([
  ['SQLite', { errcode: 13 }],
  ['PostgreSQL', { code: '53100' }],
])('a full disk is told from the code of %s, also as the cause, and from no other', (_, facts) => {
  const full = Object.assign(new Error('full'), facts);
  expect([full, new TransactionFailedError(full), new Error('full')].map(isFull)).toEqual([
    true,
    true,
    false,
  ]);
});
