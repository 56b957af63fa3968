import type { Timer } from '../../../platform/clock.ts';
import { type Log } from '../../../platform/log.ts';
import type { CueContext } from '../cue-context.ts';
import { lockCues, patchCue, recurringAfter, someRanLater } from '../record/cue-store.ts';
import { nextAfter } from '../schedule/schedule.ts';
import { startTimer, stopTimer } from './timers.ts';

const LOOK_MS = 60_000;
/** More than a clock that is merely slowed down loses in that time. */
const SET_BACK_BY = 1_000;
const PAGE = 200;

/**
 * Cues go by the time of day. When that was ahead and is put right, what they wait for lies too far off: a cue that fired for
 * next year would be silent until then. So the clock is looked at now and then, without a word to the store, and once it was
 * set back every recurring cue waits for its next time from now on. Times that were fired before are not fired again.
 */
export class ClockWatch {
  readonly #context: CueContext;
  readonly #log: Log;
  #ahead: number;
  #timer: Timer | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(context: CueContext, log: Log) {
    this.#context = context;
    this.#log = log;
    this.#ahead = this.#drift();
  }

  /** The clock may have been put right while nobody was there. */
  async start(): Promise<void> {
    const { database, clock } = this.#context;
    if (await someRanLater(database.read, clock.now() + LOOK_MS)) await this.#putRight();
    this.#lookLater();
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#work;
  }

  #drift(): number {
    const { clock } = this.#context;
    return clock.now() - clock.monotonic();
  }

  #lookLater(): void {
    this.#timer = this.#context.clock.after(LOOK_MS, () => {
      const drift = this.#drift();
      const setBack = drift < this.#ahead - SET_BACK_BY;
      this.#ahead = drift;
      if (setBack) {
        this.#work = this.#putRight().catch(this.#log.failed('cues_not_put_right'));
      }
      this.#lookLater();
    });
  }

  async #putRight(): Promise<void> {
    const { database } = this.#context;
    for (let after = ''; ; ) {
      const ids = await recurringAfter(database.read, after, PAGE);
      if (ids.length === 0) return;
      await this.#wait(ids);
      after = ids.at(-1) ?? '';
    }
  }

  async #wait(ids: readonly string[]): Promise<void> {
    const { database, clock } = this.#context;
    await database.write(async (tx) => {
      const now = clock.now();
      for (const cue of (await lockCues(tx, ids)).values()) {
        const next = nextAfter(cue, now) ?? null;
        const sooner = next !== null && cue.next_run !== null && next < cue.next_run;
        if (cue.status !== 'active' || !sooner) continue;
        await stopTimer(this.#context, tx, cue);
        await patchCue(tx, cue.id, { next_run: next });
        await startTimer(this.#context, tx, { ...cue, next_run: next });
      }
    });
  }
}
