import type { Bus } from '../bus/bus.ts';
import type { Tx } from '../database/database.ts';
import type { Random } from '../ids.ts';
import type { Parts } from '../parts.ts';
import { within } from '../within.ts';
import { deadJobs } from './dead-jobs.ts';
import { UnknownJobKindError } from './errors.ts';
import type { DeadJob, EnqueueOptions, JobDefinition, JobQueue, UndoneJob } from './job.ts';
import type { Rules } from './job-run.ts';
import { countWaiting, insertJob, listDead, lockKey, removeByKey, voidLeases } from './job-store.ts';
import {
  countDead,
  deadOf,
  dropDead,
  hastenJob,
  type QueueDepth,
  jobDepths,
  reviveDead,
  triedOf,
} from './job-upkeep-store.ts';
import { KindRunner } from './kind-runner.ts';
import { Overflow } from './overflow.ts';

export interface JobsOptions extends Pick<Parts, 'log' | 'clock' | 'random' | 'database'> {
  /** What no other process that uses the store calls itself; made up when left out. */
  readonly holder?: string;
  /** No other process claims jobs of this store, so whoever held some when this one starts is gone. */
  readonly isAlone?: boolean;
  /** Hints between the processes that claim jobs of this store. */
  readonly bus?: Bus;
  /** Whether there are others now; left out: as long as this one is not alone. */
  readonly hasOthers?: () => boolean;
  /** A job whose holder gave no sign of life for so long is taken over. */
  readonly leaseMs?: number;
  /** How long a job that gave up is kept; for ever when left out. */
  readonly keepDeadMs?: number;
}

const DEFAULT_CONCURRENCY = 8;
const DEFAULT_BATCH = 64;
const DEFAULT_LEASE_MS = 30_000;
const DEFAULT_ATTEMPTS = 20;
const DEFAULT_GRACE_MS = 3_000;

/** The durable due-queue: work that must happen at a time, stored in the transaction of its cause. */
export class Jobs implements JobQueue {
  readonly #options: JobsOptions;
  readonly #kinds = new Map<string, KindRunner>();
  readonly #holder: string;
  readonly #dead: ReturnType<typeof deadJobs> | undefined;
  readonly #isAlone: boolean;
  readonly #overflow: Overflow | undefined;
  #leases = 0;
  #started = false;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#isAlone = options.isAlone ?? options.database.dialect === 'sqlite';
    this.#holder = options.holder ?? options.random.hex(8);
    const { keepDeadMs: keepMs, bus, hasOthers = () => true } = options;
    const heard = (kind: string, group: string): void => this.#kinds.get(kind)?.help(group);
    this.#overflow = bus && !this.#isAlone ? new Overflow({ ...options, bus, hasOthers, heard }) : undefined;
    this.#dead = keepMs === undefined ? undefined : deadJobs({ ...options, jobs: this, keepMs });
  }

  define<Payload>(kind: string, definition: JobDefinition<Payload>): void {
    if (this.#kinds.has(kind)) throw new Error(`jobs of kind ${kind} are defined twice`);
    const rules: Rules = {
      concurrency: DEFAULT_CONCURRENCY,
      perGroup: definition.concurrency ?? DEFAULT_CONCURRENCY,
      batch: DEFAULT_BATCH,
      interruptedCounts: false,
      leaseMs: this.#options.leaseMs ?? DEFAULT_LEASE_MS,
      maxAttempts: DEFAULT_ATTEMPTS,
      backoff: defaultBackoff(this.#options.random),
      // A payload is what this program stored itself under this kind.
      ...(definition as JobDefinition<unknown>),
    };
    const runner = new KindRunner({
      ...this.#options,
      kind,
      isAlone: this.#isAlone,
      rules,
      noPlace: (group) => this.#overflow?.tell(kind, group),
      mostHeld: this.#isAlone ? undefined : definition.perGroup,
      buried: async (tx) => await this.#dead?.buried(tx),
      nextLease: () => `${this.#holder}/${++this.#leases}`,
    });
    this.#kinds.set(kind, runner);
    if (this.#started) runner.start();
  }

  /** The same for work that is one write: it is done with that write, or due again at the time returned. */
  defineWrite<Payload>(
    kind: string,
    work: (tx: Tx, payload: Payload) => Promise<number | undefined>,
    options: Omit<JobDefinition<Payload>, 'handler'> = {},
  ): void {
    this.define<Payload>(kind, {
      ...options,
      // Either way in the transaction of the work: one whose job was taken over meanwhile has written nothing.
      handler: ({ payload }, { complete, postpone }) =>
        this.#options.database.write(async (tx) => {
          const later = await work(tx, payload);
          await (later === undefined ? complete(tx) : postpone(tx, later));
        }),
    });
  }

  /** Whoever asks for the job with this key is waited for: what they want done is seen after this, or they find the job gone. */
  async settleKey(tx: Tx, kind: string, key: string): Promise<void> {
    await lockKey(tx, kind, key);
  }

  async enqueue(tx: Tx, kind: string, payload: unknown, options: EnqueueOptions = {}): Promise<boolean> {
    const runner = this.#runner(kind);
    const now = this.#options.clock.now();
    const { dueAt = now, key = null, group = '', lane = null, onConflict = 'keep' } = options;
    if (key !== null) {
      await lockKey(tx, kind, key);
      if (onConflict === 'replace') await this.#remove(tx, kind, key);
    }
    const inserted = await insertJob(tx, { kind, group, key, lane, payload, dueAt, now });
    if (inserted) tx.afterCommit(() => runner.wake(group, dueAt));
    return inserted;
  }

  /** Removes the live job with this key. One that is running already is told to stop, and its completion fails. */
  async cancel(tx: Tx, kind: string, key: string): Promise<boolean> {
    await lockKey(tx, kind, key);
    return await this.#remove(tx, kind, key);
  }

  /** How many of a kind are not over; counted up to `most`. */
  async waiting(kind: string, most: number): Promise<number> {
    return await countWaiting(this.#options.database.read, kind, most);
  }

  /** The latest jobs that gave up, newest first. */
  async dead(limit = 100): Promise<DeadJob[]> {
    return await listDead(this.#options.database.read, limit);
  }

  deadCount(): Promise<number> {
    return countDead(this.#options.database.read);
  }

  /** What waits, kind by kind. */
  depths(): Promise<QueueDepth[]> {
    return jobDepths(this.#options.database.read, this.#options.clock.now());
  }

  /** Lets a job that gave up begin anew, now. */
  async retryDead(id: number): Promise<'again' | 'gone' | 'replaced'> {
    const { database, clock } = this.#options;
    return await database.write(async (tx) => {
      const now = clock.now();
      const revived = await reviveDead(tx, id, now);
      if (typeof revived === 'string') return revived;
      tx.afterCommit(() => this.#kinds.get(revived.kind)?.wake(revived.group, now));
      return 'again';
    });
  }

  /** Those of one group of a kind that were tried and wait for another time, and those that gave up; of each the oldest. */
  async undone<Payload>(kind: string, group: string, most: number): Promise<UndoneJob<Payload>[]> {
    const { read } = this.#options.database;
    const rows = [...(await triedOf(read, kind, group, most)), ...(await deadOf(read, kind, group, most))];
    // What this program stored itself under this kind.
    return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as Payload }));
  }

  /** Those of one group that are undone are tried now: what gave up begins anew. How many there were. */
  async tryNow(
    kind: string,
    group: string,
    undone: readonly Pick<UndoneJob, 'id' | 'diedAt'>[],
  ): Promise<number> {
    const { database, clock } = this.#options;
    const now = clock.now();
    const waiting = undone.filter(({ diedAt }) => diedAt === null);
    let again = await database.write(async (tx) => {
      let moved = 0;
      for (const { id } of waiting) if (await hastenJob(tx, id, now)) moved += 1;
      if (moved > 0) tx.afterCommit(() => this.#kinds.get(kind)?.wake(group, now));
      return moved;
    });
    for (const { id, diedAt } of undone)
      if (diedAt !== null && (await this.retryDead(id)) === 'again') again += 1;
    return again;
  }

  /** Forgets a job that gave up; false when there is none. */
  dropDead(id: number): Promise<boolean> {
    return this.#options.database.write((tx) => dropDead(tx, id));
  }

  async start(): Promise<void> {
    const { database } = this.#options;
    if (this.#isAlone) await database.write((tx) => voidLeases(tx));
    await this.#dead?.start();
    this.#started = true;
    this.#overflow?.open();
    for (const runner of this.#kinds.values()) runner.start();
  }

  /** Another holder has ended: what it held is due again, at once. */
  async release(holder: string): Promise<void> {
    await this.#options.database.write((tx) => voidLeases(tx, holder));
    for (const runner of this.#kinds.values()) runner.lookAround();
  }

  /** Claims nothing more and waits for running handlers; those that outlast the grace are given back unfinished. */
  async stop(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.#started = false;
    const runners = [...this.#kinds.values()];
    const ended = Promise.all(runners.map((runner) => runner.stop()));
    const outcome = await within(this.#options.clock, graceMs, ended, 'late');
    if (outcome === 'late') await Promise.all(runners.map((runner) => runner.giveBack()));
    this.#overflow?.close();
  }

  async #remove(tx: Tx, kind: string, key: string): Promise<boolean> {
    const runner = this.#runner(kind);
    const removed = await removeByKey(tx, kind, key);
    if (!removed) return false;
    tx.afterCommit(() => runner.lose(removed));
    return true;
  }

  #runner(kind: string): KindRunner {
    const runner = this.#kinds.get(kind);
    if (!runner) throw new UnknownJobKindError(kind);
    return runner;
  }
}

const FIRST_MS = 5_000;
const LONGEST_MS = 300_000;

/** Doubles from five seconds to five minutes, plus up to a quarter at random so that failures do not march in step. */
function defaultBackoff(random: Random): (attempt: number) => number {
  return (attempt) => {
    const wait = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
    return Math.round(wait * (1 + random.unit() / 4));
  };
}
