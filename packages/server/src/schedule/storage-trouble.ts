import type { Clock } from '../platform/clock.ts';
import { LockTimeoutError } from '../platform/database/errors.ts';
import { DomainError } from '../platform/http/domain-error.ts';
import type { ScheduleTrouble } from '@parley/protocol/schedule/errors';
import { scheduleTrouble } from './errors.ts';

interface Parts {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const RETRIES = 2;
const RETRY_MS = 100;

const LOCKED: ReadonlySet<unknown> = new Set([5, 6, '55P03', '40P01']);
const CORRUPT: ReadonlySet<unknown> = new Set([11, 26, 'XX001', 'XX002']);

/** A write that the store does not take is refused with a word for why; nothing of it was done, unless its commit was not answered. */
export async function writing<T>(parts: Parts, work: () => Promise<T>): Promise<T> {
  return await reading(parts, work, (word) => {
    throw scheduleTrouble(word);
  });
}

/** A read that fails is answered all the same: with nothing, and a word for why. */
export async function reading<T>(
  parts: Parts,
  work: () => Promise<T>,
  degraded: (word: ScheduleTrouble) => T,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DomainError) throw error;
      const word = wordFor(error);
      if (word === 'schedule_db_locked' && retries < RETRIES) {
        await new Promise<void>((resolve) => void parts.clock.after(RETRY_MS, resolve));
        continue;
      }
      parts.onError(error);
      return degraded(word);
    }
  }
}

/** By what either database says. */
function wordFor(error: unknown): ScheduleTrouble {
  if (error instanceof LockTimeoutError) return 'schedule_db_locked';
  const code = codeOf(error);
  if (LOCKED.has(code)) return 'schedule_db_locked';
  return CORRUPT.has(code) ? 'schedule_db_corrupt' : 'schedule_db_unavailable';
}

function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return 'code' in error ? error.code : undefined;
}
