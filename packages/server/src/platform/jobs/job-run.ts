import type { Timer } from '../clock.ts';
import type { Tx } from '../database/database.ts';
import { errorFields } from '../log.ts';
import type { Parts } from '../parts.ts';
import { DeadJobError, LeaseLostError } from './errors.ts';
import type { ClaimedJob, Job, JobDefinition, JobRun } from './job.ts';
import { buryJob, finishJob, renewLease, rescheduleJob } from './job-store.ts';

export interface RunDependencies extends Pick<Parts, 'log' | 'clock' | 'database'> {
  /** Says that jobs of this kind may be claimable from `time` on. */
  readonly wake: (time: number) => void;
  /** Told in the transaction that buries a job. */
  readonly buried: (tx: Tx) => Promise<void>;
}

export type Rules = Required<Omit<JobDefinition<unknown>, 'onDead' | 'begin'>> &
  Pick<JobDefinition<unknown>, 'onDead' | 'begin'>;

/*
 * One attempt at one job:
 *
 *   held ─ handler calls complete(tx) ─→ gone with that commit; or due again, when it called again(tx) or postpone(tx)
 *        ─ handler calls hold(tx) ─────→ held on, with that commit
 *        ─ handler returns ────────────→ gone; or due again, when it called retryAt
 *        ─ handler throws ─────────────→ due again after the backoff, or dead after the last attempt
 *        ─ lease lost ─────────────────→ signal aborted; nothing this run does to the job has any effect
 *        ─ given back at stop ─────────→ due again, as if this attempt had not begun, unless the kind counts those
 */
export class Run {
  readonly #job: ClaimedJob;
  readonly #rules: Rules;
  readonly #deps: RunDependencies;
  readonly #abort = new AbortController();
  #renewal: Timer | undefined;
  #retryAt: number | undefined;
  #settled = false;

  constructor(job: ClaimedJob, rules: Rules, deps: RunDependencies) {
    this.#job = job;
    this.#rules = rules;
    this.#deps = deps;
  }

  /** Never rejects: what cannot be recorded is left to the lease, which will run out. */
  async execute(): Promise<void> {
    this.#scheduleRenewal();
    try {
      const failure = await this.#attempt();
      if (!this.#settled) await this.#record(failure);
    } catch (error) {
      this.#deps.log.error('job_unrecorded', { ...this.#fields(), ...errorFields(error) });
    } finally {
      this.#settled = true;
      this.#renewal?.cancel();
    }
  }

  /** The job was cancelled, replaced or taken over. */
  lose(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#abort.abort(new LeaseLostError(this.#job.kind, this.#job.id));
  }

  /** Puts the job back unfinished, without counting the attempt. */
  async giveBack(): Promise<void> {
    if (this.#settled) return;
    this.lose();
    const { dueAt, attempt } = this.#job;
    const attempts = this.#rules.interruptedCounts ? attempt : attempt - 1;
    await this.#deps.database.write((tx) => rescheduleJob(tx, this.#job, { dueAt, attempts, error: null }));
  }

  async #attempt(): Promise<Error | undefined> {
    const { attempt } = this.#job;
    if (attempt > this.#rules.maxAttempts) return new DeadJobError('the last attempt never came to an end');
    const run: JobRun = {
      signal: this.#abort.signal,
      complete: (tx) => this.#complete(tx),
      again: (tx, dueAt) => this.#again(tx, dueAt, this.#job.attempt),
      postpone: (tx, dueAt) => this.#again(tx, dueAt, 0),
      hold: async (tx) => this.#mustHold(await this.#renew(tx)),
    };
    try {
      await this.#rules.handler(this.#view(), run);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #complete(tx: Tx): Promise<void> {
    this.#mustHold(await finishJob(tx, this.#job));
    tx.afterCommit(() => {
      this.#settled = true;
      this.#wakeLane();
    });
  }

  async #again(tx: Tx, dueAt: number, attempts: number): Promise<void> {
    this.#mustHold(await rescheduleJob(tx, this.#job, { dueAt, attempts, error: null }));
    tx.afterCommit(() => {
      this.#settled = true;
      this.#deps.wake(dueAt);
    });
  }

  #mustHold(held: boolean): void {
    if (!held) throw new LeaseLostError(this.#job.kind, this.#job.id);
  }

  #renew(tx: Tx): Promise<boolean> {
    return renewLease(tx, this.#job, this.#deps.clock.now() + this.#rules.leaseMs);
  }

  async #record(failure: Error | undefined): Promise<void> {
    if (failure instanceof LeaseLostError) return;
    if (failure) return await this.#recordFailure(failure);
    const again = this.#retryAt;
    if (again !== undefined) return await this.#reschedule({ dueAt: again, attempts: 0, error: null });
    await this.#deps.database.write(async (tx) => {
      if (await finishJob(tx, this.#job)) tx.afterCommit(() => this.#wakeLane());
    });
  }

  async #recordFailure(failure: Error): Promise<void> {
    const { attempt } = this.#job;
    const { clock, log } = this.#deps;
    const last = failure instanceof DeadJobError || attempt >= this.#rules.maxAttempts;
    if (last) return await this.#bury(failure);
    const dueAt = this.#retryAt ?? clock.now() + this.#rules.backoff(attempt);
    log.warn('job_failed', { ...this.#fields(), retry_at: dueAt, ...errorFields(failure) });
    await this.#reschedule({ dueAt, attempts: attempt, error: failure.message });
  }

  async #reschedule(next: { dueAt: number; attempts: number; error: string | null }): Promise<void> {
    await this.#deps.database.write(async (tx) => {
      if (await rescheduleJob(tx, this.#job, next)) tx.afterCommit(() => this.#deps.wake(next.dueAt));
    });
  }

  async #bury(failure: Error): Promise<void> {
    const { database, clock, log } = this.#deps;
    log.error('job_dead', { ...this.#fields(), ...errorFields(failure) });
    await database.write(async (tx) => {
      if (!(await buryJob(tx, this.#job, { now: clock.now(), error: failure.message }))) return;
      await this.#rules.onDead?.(tx, this.#view(), failure);
      await this.#deps.buried(tx);
      tx.afterCommit(() => this.#wakeLane());
    });
  }

  /** Twice within each lease, so that one late or failed renewal does not cost it. */
  #scheduleRenewal(): void {
    const { database, clock, log } = this.#deps;
    this.#renewal = clock.after(this.#rules.leaseMs / 3, () => {
      if (this.#settled) return;
      this.#scheduleRenewal();
      database
        .write((tx) => this.#renew(tx))
        .then((held) => {
          if (!held) this.lose();
        })
        .catch((error: unknown) => log.warn('job_not_renewed', { ...this.#fields(), ...errorFields(error) }));
    });
  }

  #wakeLane(): void {
    if (this.#job.lane !== null) this.#deps.wake(this.#deps.clock.now());
  }

  #view(): Job {
    return {
      ...this.#job,
      lastAttempt: this.#job.attempt >= this.#rules.maxAttempts,
      retryAt: (time) => {
        this.#retryAt = time;
      },
    };
  }

  #fields(): { kind: string; id: number; attempt: number } {
    const { kind, id, attempt } = this.#job;
    return { kind, id, attempt };
  }
}
