import type { Capsule } from '@parley/protocol/continuity/capsule';
import { keepNewest } from '../../platform/newest.ts';

/** What the next write to a subject needs of the capsule it replaces. */
export interface Remains {
  readonly stable_preferences: Capsule['stable_preferences'];
  readonly thread_descriptor?: Capsule['thread_descriptor'];
  readonly continuity: Pick<Capsule['continuity'], 'negative_decisions' | 'rationale_entries'>;
}

/**
 * What remains of the capsules this process wrote last, by revision. A revision never changes, so nothing here can be out of
 * date; and what is here has passed the rules.
 */
export class RecentCapsules {
  readonly #most: number;
  readonly #known = new Map<number, Remains>();

  constructor(most = 256) {
    this.#most = most;
  }

  get(revisionId: number | null): Remains | undefined {
    return revisionId === null ? undefined : this.#known.get(revisionId);
  }

  /** Only after the commit: a number that was rolled back is given out again. */
  put(revisionId: number, { stable_preferences, thread_descriptor, continuity }: Capsule): void {
    const { negative_decisions, rationale_entries } = continuity;
    // Not the whole capsule: keeping thousands of short texts alive costs more than they are worth.
    const remains = {
      stable_preferences,
      thread_descriptor,
      continuity: { negative_decisions, rationale_entries },
    };
    keepNewest(this.#known, revisionId, remains, this.#most);
  }

  forget(revisionId: number | null): void {
    if (revisionId !== null) this.#known.delete(revisionId);
  }
}
