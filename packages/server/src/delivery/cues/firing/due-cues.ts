import type { Tx } from '../../../platform/database/database.ts';
import type { Job, JobRun, StartedJob } from '../../../platform/jobs/job.ts';
import { MAX_REPLAYED } from '@parley/protocol/delivery/limits';
import { dueTimes } from './catch-up.ts';
import type { CueContext } from '../cue-context.ts';
import type { CueRow } from '../record/cue-row.ts';
import { advanceCues, countFire, cueById, type CueMove, lockAnyCue, lockCues } from '../record/cue-store.ts';
import { scheduledFire } from './fire.ts';
import { FireRound } from './fire-round.ts';
import { fireLater, fireNow } from './firing.ts';
import { countQueued, hasOpenRun } from '../runs/run-store.ts';
import { changeStatus } from '../record/status-changes.ts';
import { namesAgent, targetOfFire } from './targets.ts';
import { CUE_JOB, type CueTimer, startTimer } from './timers.ts';

/** Fired in one transaction. Many share its commit; the first does not wait long for the last. */
const BATCH = 128;

type Timer = StartedJob<CueTimer>;

/*
 * A cue that is active has one timer, a job for the time it waits for. When that is due, the transaction that claims the job
 * makes the executions, gives the cue its next time and starts the timer for that: a crash leaves all of it or nothing.
 *
 *   due ─ the cue waits for another time, is paused or gone ─→ nothing
 *       ─ an agent has to be looked up by name ─→ the same in a transaction of its own
 *       ─ else ─→ fired with all others that are due
 */
export function defineDueCues(context: CueContext): void {
  const due = new DueCues(context);
  context.jobs.define<CueTimer>(CUE_JOB, {
    begin: (tx, jobs) => due.begin(tx, jobs),
    handler: (job, run) => due.fireOne(job, run),
    concurrency: BATCH,
    batch: BATCH,
    // A cue must not fall silent because its server was in trouble for a while.
    maxAttempts: Number.POSITIVE_INFINITY,
  });
}

class DueCues {
  readonly #context: CueContext;
  /** Jobs of a batch that failed. They are fired one by one, so that one that cannot be fired holds up no other. */
  readonly #suspects = new Set<number>();

  constructor(context: CueContext) {
    this.#context = context;
  }

  async begin(tx: Tx, jobs: readonly Timer[]): Promise<readonly Timer[]> {
    try {
      return await this.#fireTogether(tx, jobs);
    } catch (error) {
      for (const { id } of jobs) this.#suspects.add(id);
      throw error;
    }
  }

  async #fireTogether(tx: Tx, jobs: readonly Timer[]): Promise<Timer[]> {
    const ids = jobs.map(({ payload }) => payload.cueId);
    const cues = await lockCues(tx, [...new Set(ids)]);
    const alone: Timer[] = [];
    const due: DueCue[] = [];
    for (const job of inOneOrder(jobs, cues)) {
      const { payload: timer } = job;
      const cue = cues.get(timer.cueId);
      if (!cue || !waitsFor(cue, timer)) continue;
      if (this.#suspects.has(job.id) || namesAgent(scheduledFire(cue, timer.at))) alone.push(job);
      else due.push(await dueCue(this.#context, tx, cue, timer, cue.agent));
    }
    await fireDue(this.#context, tx, due);
    return alone;
  }

  async fireOne(job: Job<CueTimer>, run: JobRun): Promise<void> {
    const { database } = this.#context;
    const { payload: timer } = job;
    const seen = await cueById(database.read, timer.cueId);
    const target = seen && (await targetOfFire(this.#context, scheduledFire(seen, timer.at)));
    await database.write(async (tx) => {
      const cue = await lockAnyCue(tx, timer.cueId);
      if (cue && waitsFor(cue, timer)) {
        // Changed since its agent was looked up.
        if (cue.updated_at !== seen?.updated_at) return job.retryAt(job.dueAt);
        await fireDue(this.#context, tx, [await dueCue(this.#context, tx, cue, timer, target ?? null)]);
      }
      await run.complete(tx);
    });
    this.#suspects.delete(job.id);
  }
}

/** By agent, so that two who lock those of several cues do not wait for each other. */
function inOneOrder(jobs: readonly Timer[], cues: ReadonlyMap<string, CueRow>): readonly Timer[] {
  const agentOf = ({ payload }: Timer): string => cues.get(payload.cueId)?.agent ?? '';
  return jobs.toSorted((a, b) => (agentOf(a) < agentOf(b) ? -1 : 1));
}

const waitsFor = ({ status, next_run: at }: CueRow, timer: CueTimer): boolean =>
  status === 'active' && at === timer.at;

/** A cue, which is locked, with everything of it that is due. */
interface DueCue extends Share {
  readonly cue: CueRow;
  readonly target: string | null;
  readonly nextRun: number | null;
  readonly skippedOnce: boolean;
}

async function dueCue(
  { clock }: CueContext,
  tx: Tx,
  cue: CueRow,
  timer: CueTimer,
  target: string | null,
): Promise<DueCue> {
  const { fire, nextRun, skippedOnce } = dueTimes(cue, timer.at, clock.now(), timer.late === true);
  const open = cue.overlap !== 'allow' && (await hasOpenRun(tx, cue.id));
  return { cue, target, nextRun, skippedOnce, ...(await share(tx, cue, fire, open)) };
}

async function fireDue(context: CueContext, tx: Tx, due: readonly DueCue[]): Promise<void> {
  // First of all, so that whatever follows from the fires finds the cues as they go on.
  await advanceCues(tx, due.map(moveOf));
  for (const each of due) await goOn(context, tx, each);
  const round = new FireRound(context, tx);
  for (const { cue, target, now, queued } of due) {
    let made = 0;
    for (const at of now) if (await fireNow(round, scheduledFire(cue, at), target)) made += 1;
    for (const at of queued) if (await fireLater(round, scheduledFire(cue, at), target, 'queued')) made += 1;
    const twice = made - now.length - queued.length;
    // Some of these times were fired before: by hand for the past, or before the clock was set back.
    if (twice < 0) await countFire(tx, cue.id, { fired: twice, executions: twice });
  }
  await round.close();
}

function moveOf({ cue, nextRun, now, queued, skipped }: DueCue): CueMove {
  const fired = now.length + queued.length;
  return { id: cue.id, nextRun, fired, skipped };
}

/** The timer for its next time, and what else follows from its schedule alone. */
async function goOn(context: CueContext, tx: Tx, { cue, nextRun, skippedOnce }: DueCue): Promise<void> {
  const advanced = { ...cue, next_run: nextRun };
  await startTimer(context, tx, advanced);
  if (cue.schedule_type === 'recurring') await context.failures.tell((sink) => sink.cueFires?.(tx, advanced));
  if (skippedOnce) await changeStatus(context, tx, advanced, 'once_failed');
}

interface Share {
  readonly now: readonly number[];
  readonly queued: readonly number[];
  readonly skipped: number;
}

/** What a run that is not over lets through. */
async function share(tx: Tx, cue: CueRow, times: readonly number[], open: boolean): Promise<Share> {
  if (cue.overlap === 'allow') return { now: times, queued: [], skipped: 0 };
  const now = open ? [] : times.slice(0, 1);
  const others = times.slice(now.length);
  if (cue.overlap === 'skip') return { now, queued: [], skipped: others.length };
  const room = others.length === 0 ? 0 : Math.max(0, MAX_REPLAYED - (await countQueued(tx, cue.id)));
  return { now, queued: others.slice(0, room), skipped: Math.max(0, others.length - room) };
}
