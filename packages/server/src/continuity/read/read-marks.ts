import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { WriteBehind } from '../../platform/database/write-behind.ts';
import type { SubjectName } from '../capsule/subject.ts';
import { type Mark, putMarks } from './read-mark-store.ts';

const EVERY_MS = 5_000;

/** When each subject was last read: written before a plan looks at it, and at the end. */
export class ReadMarks extends WriteBehind<Mark> {
  constructor(database: Database, clock: Clock, onError: (error: unknown) => void) {
    super({ database, clock, onError, everyMs: EVERY_MS, store: putMarks });
  }

  noteRead(ownerId: string, { kind, slug }: SubjectName, at: number): void {
    this.note(`${ownerId}/${kind}/${slug}`, { owner_id: ownerId, kind, slug, read_at: at });
  }
}
