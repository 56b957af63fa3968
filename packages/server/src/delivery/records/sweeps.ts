import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/units.ts';

export const SWEEP_JOB = 'delivery.sweep';

const REMEMBERED = 10_000;
/** More than a clock that is merely slowed down loses between two messages. */
const SET_BACK_BY = 500;

/**
 * Says when the store has to be looked through for what is over. Messages whose time ends together share one job, and
 * which jobs exist is remembered, so that sending a message seldom costs a statement here.
 */
export class Sweeps {
  readonly #jobs: Jobs;
  readonly #clock: Clock;
  readonly #known = new Set<number>();
  #ahead = Number.NEGATIVE_INFINITY;

  constructor({ jobs, clock }: { jobs: Jobs; clock: Clock }) {
    this.#jobs = jobs;
    this.#clock = clock;
  }

  /** There will be a sweep after `time`, within a second, or a minute when that is more than an hour off. */
  async ensure(tx: Tx, time: number): Promise<void> {
    this.#forgetWhenSetBack();
    const step = time - this.#clock.now() > HOUR ? MINUTE : SECOND;
    const dueAt = (Math.floor(time / step) + 1) * step;
    if (this.#known.has(dueAt)) return;
    await this.#jobs.enqueue(tx, SWEEP_JOB, null, { key: String(dueAt), dueAt });
    tx.afterCommit(() => {
      if (this.#known.size >= REMEMBERED) this.#known.clear();
      this.#known.add(dueAt);
    });
  }

  /** A sweep that has run lies ahead again once the clock was set back: it would be taken for one to come. */
  #forgetWhenSetBack(): void {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    if (ahead < this.#ahead - SET_BACK_BY) this.#known.clear();
    this.#ahead = ahead;
  }
}
