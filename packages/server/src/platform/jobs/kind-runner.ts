import type { Timer } from '../clock.ts';
import { errorFields } from '../log.ts';
import type { ClaimedJob } from './job.ts';
import { Run, type RunDependencies, type Rules } from './job-run.ts';
import { claimJobs, nextWake } from './job-store.ts';

export interface KindRunnerOptions extends Omit<RunDependencies, 'wake'> {
  readonly kind: string;
  readonly rules: Rules;
  /** Makes a name for one claim that nobody else ever uses. */
  readonly nextLease: () => string;
}

/** Other nodes add jobs unheard when they die before their own wake; on a shared store this finds them. */
const SAFETY_POLL_MS = 5_000;
const AFTER_ERROR_MS = 1_000;
/** Due rows that could not be claimed are being claimed by another node this very moment. */
const AFTER_CONTENTION_MS = 20;

/** Claims and runs the jobs of one kind. Sleeps until the next is due, or an insert says that one came. */
export class KindRunner {
  readonly #options: KindRunnerOptions;
  readonly #runs = new Map<number, { run: Run; ended: Promise<void> }>();
  #wakeAt = Number.POSITIVE_INFINITY;
  #timer: Timer | undefined;
  #active = false;
  #pumping: Promise<void> | undefined;

  constructor(options: KindRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#active = true;
    this.wake(this.#options.clock.now());
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
    this.#active = false;
    this.#timer?.cancel();
    await this.#pumping;
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  async giveBack(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ run }) => run.giveBack()));
  }

  get #free(): number {
    return this.#options.rules.concurrency - this.#runs.size;
  }

  #pump(): void {
    if (!this.#active || this.#pumping) return;
    this.#timer?.cancel();
    const { clock, log, kind } = this.#options;
    if (this.#free === 0) return;
    if (this.#wakeAt > clock.now()) return this.#sleep();
    this.#pumping = this.#claimAll()
      .catch((error: unknown) => {
        log.error('job_not_claimed', { kind, ...errorFields(error) });
        this.#wakeAt = Math.min(this.#wakeAt, clock.now() + AFTER_ERROR_MS);
      })
      .finally(() => {
        this.#pumping = undefined;
        this.#pump();
      });
  }

  #sleep(): void {
    const { clock, database } = this.#options;
    if (database.dialect === 'postgres') this.#wakeAt = Math.min(this.#wakeAt, clock.now() + SAFETY_POLL_MS);
    if (this.#wakeAt === Number.POSITIVE_INFINITY) return;
    this.#timer = clock.at(this.#wakeAt, () => this.#pump());
  }

  /** One claim. What an insert announces while it is under way lowers `#wakeAt` again and so is not missed. */
  async #claimAll(): Promise<void> {
    const { clock, database, kind, rules, nextLease } = this.#options;
    const limit = this.#free;
    const now = clock.now();
    this.#wakeAt = Number.POSITIVE_INFINITY;
    const lease = nextLease();
    const jobs = await claimJobs(database, { kind, limit, now, lease, leaseMs: rules.leaseMs });
    for (const job of jobs) this.#run(job);
    if (jobs.length === limit) {
      this.#wakeAt = now;
      return;
    }
    const next = (await nextWake(database.read, kind)) ?? Number.POSITIVE_INFINITY;
    const contended = jobs.length === 0 && next <= now;
    this.#wakeAt = Math.min(this.#wakeAt, contended ? now + AFTER_CONTENTION_MS : next);
  }

  #run(job: ClaimedJob): void {
    // A process that slept past its own lease claims the same job again.
    this.lose(job.id);
    const run = new Run(job, this.#options.rules, { ...this.#options, wake: (time) => this.wake(time) });
    const ended = (this.#active ? run.execute() : run.giveBack()).finally(() => {
      if (this.#runs.get(job.id)?.run === run) this.#runs.delete(job.id);
      this.#pump();
    });
    this.#runs.set(job.id, { run, ended });
  }
}
