import { describe, expect, test } from 'vitest';
import { LockTimeoutError } from '../platform/database/errors.ts';
import type { DomainError } from '../platform/http/domain-error.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { reading, writing } from './storage-trouble.ts';

/** As the two databases fail. */
const failure = (fields: object): Error => Object.assign(new Error('failed'), fields);

const scene = () => {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  let tries = 0;
  const failing = (error: unknown) => (): Promise<string> => {
    tries += 1;
    return Promise.reject(error);
  };
  const parts = { clock, onError: (error: unknown) => void errors.push(error) };
  return { clock, errors, parts, failing, tries: () => tries };
};

describe('schedule › trouble with the store', () => {
  test.each([
    ['SQLite, a damaged page', { errcode: 11 }, 'schedule_db_corrupt', undefined],
    ['SQLite, an extended code of it', { errcode: 11 | (1 << 8) }, 'schedule_db_corrupt', undefined],
    ['SQLite, no database at all', { errcode: 26 }, 'schedule_db_corrupt', undefined],
    ['PostgreSQL, a damaged index', { code: 'XX002' }, 'schedule_db_corrupt', undefined],
    ['a full disk', { errcode: 13 }, 'schedule_db_unavailable', '1'],
    ['a lost connection', { code: 'ECONNREFUSED' }, 'schedule_db_unavailable', '1'],
  ])(
    '%s: a read answers with a word, a write is refused with it, says when to come back if that may help, and it is tried once',
    async (_, fields, word, retryAfter) => {
      const { parts, failing, errors, tries } = scene();
      const error = failure(fields);
      expect(await reading(parts, failing(error), (said) => said)).toBe(word);
      const refused = await writing(parts, failing(error)).catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({ status: 503, detail: { code: word, warnings: [word] } });
      expect((refused as DomainError).headers()['Retry-After']).toBe(retryAfter);
      expect(errors).toEqual([error, error]);
      expect(tries()).toBe(2);
    },
  );

  test.each([
    ['SQLite', failure({ errcode: 5 })],
    ['PostgreSQL', failure({ code: '55P03' })],
    ['a lock of ours', new LockTimeoutError(new Error('held'))],
  ])('%s: what is locked is tried twice more, a moment apart', async (_, error) => {
    const { clock, parts, failing, tries } = scene();
    const answer = reading(parts, failing(error), (said) => said);
    for (const soFar of [1, 2]) {
      await expect.poll(tries).toBe(soFar);
      await clock.leap(100);
    }
    expect(await answer).toBe('schedule_db_locked');
    expect(tries()).toBe(3);
  });

  test('what is free at the second try is answered', async () => {
    const { clock, parts, errors } = scene();
    let free = false;
    const work = async (): Promise<string> => {
      if (!free) throw failure({ errcode: 6 });
      return 'read';
    };
    const answer = reading(parts, work, (said) => said);
    free = true;
    await clock.leap(100);
    expect(await answer).toBe('read');
    expect(errors).toEqual([]);
  });
});
