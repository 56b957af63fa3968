import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { JobRun } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { takes } from '../records/execution-states.ts';
import type { Journeys } from '../executions/journeys.ts';
import { offerState } from '../executions/live-offers.ts';
import type { Pushes } from '../executions/pushes.ts';
import { expire } from '../records/live-window.ts';
import type { DeliverySettings } from '../settings.ts';
import { traceStep } from '../routing/trace.ts';
import { deleteOldKeys } from './idempotency-store.ts';
import type { MessageMoves } from '../records/message-moves.ts';
import { deleteMessage, expiredMessages, lockMessage, messagesOverSince } from '../records/message-store.ts';
import { SWEEP_JOB } from '../records/sweeps.ts';
import type { Tallies } from '../records/tallies.ts';

export interface SweeperOptions {
  database: Database;
  clock: Clock;
  jobs: Jobs;
  settings: DeliverySettings;
  journeys: Journeys;
  pushes: Pushes;
  moves: MessageMoves;
  tallies: Tallies;
}

/** Rows handled at a time, so that a sweep after a long stop leaves room for other writers. */
const STEP = 100;

/** Ends messages whose time is over, and removes what has been over for long enough. */
export class Sweeper {
  readonly #options: SweeperOptions;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  define(): void {
    const handler = (_job: unknown, run: JobRun): Promise<void> => this.#sweep(run);
    this.#options.jobs.define<null>(SWEEP_JOB, { concurrency: 1, handler });
  }

  async #sweep({ signal }: JobRun): Promise<void> {
    const { database, clock, settings } = this.#options;
    while (!signal.aborted && (await this.#expireSome(clock.now())) === STEP);
    while (
      !signal.aborted &&
      (await this.#removeSome(clock.now() - settings.removalAfterTerminalMs)) === STEP
    );
    await database.write((tx) => deleteOldKeys(tx, clock.now() - settings.idempotencyMs));
  }

  async #expireSome(now: number): Promise<number> {
    const { database } = this.#options;
    const ids = await expiredMessages(database.read, now, STEP);
    if (ids.length > 0) {
      await database.write(async (tx) => {
        for (const id of ids.toSorted()) await this.#expire(tx, id, now);
      });
    }
    return ids.length;
  }

  async #expire(tx: Tx, id: string, now: number): Promise<void> {
    const { journeys, pushes, moves } = this.#options;
    const journey = await journeys.lockMessage(tx, id);
    if (!journey?.message || journey.message.expires_at >= now) return;
    const { execution, message } = journey;
    const moved = await moves.apply(tx, message, 'expired');
    if (moved === message) return;
    const verdict = expire(offerState(execution));
    if (verdict.kind === 'missed') {
      await pushes.miss(tx, { execution, message: moved }, verdict.outcome, verdict.reason);
    } else if (takes(execution.status, 'expired')) {
      pushes.withdraw(tx, execution);
      const patch = { error_message: 'the message expired' };
      await journeys.move(tx, execution, 'expired', patch, [traceStep(now, 'push', 'expired')]);
    }
  }

  async #removeSome(before: number): Promise<number> {
    const { database, tallies } = this.#options;
    const over = await messagesOverSince(database.read, before, STEP);
    if (over.length === 0) return 0;
    await database.write(async (tx) => {
      for (const { id } of over) {
        // Another node may have been here first; it is counted out once.
        const message = await lockMessage(tx, database.dialect, id);
        if (!message) continue;
        const executions = await deleteMessage(tx, id);
        await tallies.remove(tx, message, executions);
      }
    });
    return over.length;
  }
}
