import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { LockTimeoutError } from '../platform/database/errors.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { EventLog } from '../platform/streams/event-log.ts';
import type { Audit } from './audit.ts';
import { structuredError } from './errors.ts';
import type { ContinuitySettings } from './settings.ts';
import type { Subject } from './subject.ts';

/** What every operation works with. */
export interface Desk {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly jobs: Jobs;
  readonly settings: ContinuitySettings;
  readonly audit: Audit;
}

/** One write for one subject: its writers take turns, and none waits for those of another. */
export async function writeSubject<T>(
  desk: Desk,
  operation: string,
  ownerId: string,
  { kind, slug }: Pick<Subject, 'kind' | 'slug'>,
  write: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await desk.database.write(async (tx) => {
      await tx.lock(`continuity:${ownerId}:${kind}:${slug}`, desk.settings.lockMs);
      return await write(tx);
    });
  } catch (error) {
    if (!(error instanceof LockTimeoutError)) throw error;
    throw structuredError(
      409,
      operation,
      'continuity_source_lock_timeout',
      'Another write to this subject took too long; try again',
    );
  }
}

export const eventTopic = (ownerId: string): string => `continuity:${ownerId}`;
