import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { WriteBehind } from '../../platform/database/write-behind.ts';
import { touchSeen } from './agent-store.ts';

/** When agents last did something, in Unix milliseconds by suffix. */
export type LastSeen = WriteBehind<number>;

const EVERY_MS = 5_000;

export const lastSeenOf = (options: {
  database: Database;
  clock: Clock;
  onError: (error: unknown) => void;
}): LastSeen => new WriteBehind({ ...options, everyMs: EVERY_MS, store: touchSeen });

/** What is stored, or what is noted and not written yet. */
export function latestOf(lastSeen: LastSeen, suffix: string, stored: number | null): number | null {
  const noted = lastSeen.latest(suffix);
  return noted === undefined || (stored !== null && stored > noted) ? stored : noted;
}
