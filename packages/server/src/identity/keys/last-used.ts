import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { WriteBehind } from '../../platform/database/write-behind.ts';
import { setLastUsed } from './key-store.ts';

/** When each key was last used, in Unix milliseconds by its id. */
export type LastUsed = WriteBehind<number>;

const EVERY_MS = 60_000;

export const lastUsedOf = (options: {
  database: Database;
  clock: Clock;
  onError: (error: unknown) => void;
}): LastUsed => new WriteBehind({ ...options, everyMs: EVERY_MS, store: setLastUsed });
