import type { Timer } from '../clock.ts';
import { errorFields } from '../log.ts';
import type { ClaimedJob } from './job.ts';
import { Run, type RunDependencies, type Rules } from './job-run.ts';
import { claimJobs, nextWake } from './job-store.ts';
import type { Places } from './places.ts';

export interface GroupRunnerOptions extends Omit<RunDependencies, 'wake'> {
  readonly kind: string;
  readonly group: string;
  readonly rules: Rules;
  /** How many of a group all nodes may hold together; undefined where there is nobody to share with. */
  readonly mostHeld: number | undefined;
  readonly places: Places;
  /** Makes a name for one claim that nobody else ever uses. */
  readonly nextLease: () => string;
  /** There is something to do that cannot be begun here. */
  readonly noPlace: () => void;
  /** There is nothing left to do. */
  readonly idle: (runner: GroupRunner) => void;
}

const AFTER_ERROR_MS = 1_000;
/** Due rows that could not be claimed are being claimed by another node this very moment. */
const AFTER_CONTENTION_MS = 20;
/** Others hold all that the group may hold. Each that ends one takes the next by itself, unless it dies. */
const AFTER_FULL_MS = 1_000;

/** Claims and runs the jobs of one group. Sleeps until the next is due, or an insert says that one came. */
export class GroupRunner {
  readonly #options: GroupRunnerOptions;
  readonly #runDependencies: RunDependencies;
  readonly #runs = new Map<number, { run: Run; ended: Promise<void> }>();
  readonly #pumpAgain = (): void => this.#pump();
  #wakeAt = Number.POSITIVE_INFINITY;
  #timer: Timer | undefined;
  #claiming: Promise<void> | undefined;
  #full = false;
  #stopped = false;

  constructor(options: GroupRunnerOptions) {
    this.#options = options;
    this.#runDependencies = { ...options, wake: (time) => this.wake(time) };
  }

  wake(time: number): void {
    this.#wakeAt = Math.min(this.#wakeAt, time);
    this.#pump();
  }

  /** The job left the store while it may be running here. */
  lose(id: number): void {
    this.#runs.get(id)?.run.lose();
  }

  /** Claims nothing more. Resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#claiming;
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
    if (this.#isDue()) this.#options.noPlace();
  }

  async giveBack(): Promise<void> {
    if (this.#runs.size === 0) return;
    await Promise.all([...this.#runs.values()].map(({ run }) => run.giveBack()));
    this.#options.noPlace();
  }

  #pump(): void {
    if (this.#stopped || this.#claiming) return;
    this.#timer?.cancel();
    const { clock, log, kind, group, rules, mostHeld, places, noPlace } = this.#options;
    const free = rules.perGroup - this.#runs.size;
    if (free <= 0) {
      // Where nodes share what a group may hold, others may take no more of it either.
      if (mostHeld === undefined && this.#isDue()) noPlace();
      return;
    }
    if (!this.#isDue()) return this.#sleep();
    const limit = places.take(Math.min(free, rules.batch), this.#pumpAgain);
    if (limit === 0) return noPlace();
    this.#claiming = this.#claim(limit)
      .catch((error: unknown) => {
        log.error('job_not_claimed', { kind, group, ...errorFields(error) });
        this.#wakeAt = Math.min(this.#wakeAt, clock.now() + AFTER_ERROR_MS);
      })
      .finally(() => {
        this.#claiming = undefined;
        this.#pump();
      });
  }

  #isDue(): boolean {
    return this.#wakeAt <= this.#options.clock.now();
  }

  #sleep(): void {
    const { clock, idle } = this.#options;
    if (this.#wakeAt < Number.POSITIVE_INFINITY) this.#timer = clock.at(this.#wakeAt, this.#pumpAgain);
    else if (this.#runs.size === 0) idle(this);
  }

  /** One claim. What an insert announces while it is under way lowers `#wakeAt` again and so is not missed. */
  async #claim(limit: number): Promise<void> {
    const { clock, database, kind, group, rules, mostHeld, places, nextLease } = this.#options;
    const { leaseMs, begin } = rules;
    const now = clock.now();
    this.#wakeAt = Number.POSITIVE_INFINITY;
    let running = 0;
    try {
      const claim = { kind, group, limit, mostHeld, now, leaseMs, begin, lease: nextLease() };
      const { taken, jobs, full } = await claimJobs(database, claim);
      this.#full = full;
      for (const job of jobs) this.#run(job);
      running = jobs.length;
      if (full && taken === running) {
        this.#wakeAt = Math.min(this.#wakeAt, now + AFTER_FULL_MS);
        return;
      }
      // There may be more, or what was not wanted has opened its lane.
      if (taken === limit || taken > running) {
        this.#wakeAt = now;
        return;
      }
      const next = (await nextWake(database.read, kind, group)) ?? Number.POSITIVE_INFINITY;
      const contended = taken === 0 && next <= now;
      this.#wakeAt = Math.min(this.#wakeAt, contended ? now + AFTER_CONTENTION_MS : next);
    } finally {
      places.giveBack(limit - running);
    }
  }

  /** A place that falls free here may be what a job waits for that another node was told of. */
  async #lookForOthers(): Promise<void> {
    const { clock, database, kind, group } = this.#options;
    // A store that cannot be read is told elsewhere; the other node looks by itself soon.
    const next = await nextWake(database.read, kind, group).catch(() => undefined);
    if (next !== undefined && next <= clock.now()) this.#wakeAt = Math.min(this.#wakeAt, next);
    this.#pump();
  }

  #run(job: ClaimedJob): void {
    const { clock, rules, mostHeld, places } = this.#options;
    // A process that slept past its own lease claims the same job again.
    this.lose(job.id);
    const run = new Run(job, rules, this.#runDependencies);
    const ended = (this.#stopped ? run.giveBack() : run.execute()).finally(() => {
      if (this.#runs.get(job.id)?.run === run) this.#runs.delete(job.id);
      places.giveBack(1);
      if (this.#full) this.#wakeAt = clock.now();
      if (mostHeld !== undefined && this.#wakeAt > clock.now()) void this.#lookForOthers();
      else this.#pump();
    });
    this.#runs.set(job.id, { run, ended });
  }
}
