import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { WriteBehind } from '../../platform/database/write-behind.ts';
import { type Mark, putMarks } from './read-mark-store.ts';
import type { Subject } from '../capsule/subject.ts';

const EVERY_MS = 5_000;

/** When each subject was last read. */
export class ReadMarks {
  readonly #marks: WriteBehind<Mark>;

  constructor(database: Database, clock: Clock, onError: (error: unknown) => void) {
    this.#marks = new WriteBehind({ database, clock, onError, everyMs: EVERY_MS, store: putMarks });
  }

  note(ownerId: string, { kind, slug }: Pick<Subject, 'kind' | 'slug'>, at: number): void {
    this.#marks.note(`${ownerId}/${kind}/${slug}`, { owner_id: ownerId, kind, slug, read_at: at });
  }

  /** Before a plan looks at them, and at the end. */
  async write(): Promise<void> {
    await this.#marks.write();
  }
}
