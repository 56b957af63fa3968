import type { Tx } from '../database/database.ts';

/** A job of which an attempt begins. */
export interface StartedJob<Payload = unknown> {
  readonly id: number;
  readonly kind: string;
  /** Empty when it has none. */
  readonly group: string;
  readonly key: string | null;
  readonly lane: string | null;
  readonly payload: Payload;
  readonly dueAt: number;
  readonly createdAt: number;
  /** From 1. An attempt cut short by a crash counts. */
  readonly attempt: number;
}

/** One piece of work that is due at a time. It may run more than once, but counts as done exactly once. */
export interface Job<Payload = unknown> extends StartedJob<Payload> {
  /** Whether the job is dead if this attempt fails. */
  readonly lastAttempt: boolean;
  /**
   * When to run again, instead of being done (the handler returns; attempts start over) or instead of the backoff's
   * choice (the handler throws; the attempt counts).
   */
  readonly retryAt: (time: number) => void;
}

export interface JobRun {
  /**
   * Finishes the job in the transaction of its effect, so that both happen or neither. Throws `LeaseLostError`, which
   * undoes the effect, when the job was cancelled, replaced or taken over meanwhile. A handler that does not call this
   * is finished when it returns.
   */
  readonly complete: (tx: Tx) => Promise<void>;
  /** The same for what is to run again: due at a time, and this attempt counts. */
  readonly again: (tx: Tx, dueAt: number) => Promise<void>;
  /** The same for what is not over yet: due at a time, and attempts start over. */
  readonly postpone: (tx: Tx, dueAt: number) => Promise<void>;
  /** The same for an effect that does not end the job: it is ours still. */
  readonly hold: (tx: Tx) => Promise<void>;
  /** Aborted when the job is no longer ours, or the server stops. */
  readonly signal: AbortSignal;
}

export interface JobDefinition<Payload> {
  handler: (job: Job<Payload>, run: JobRun) => Promise<void>;
  /**
   * Called in the transaction of the claim, with all jobs it takes. Returns those that are still wanted; the others are gone
   * with that commit. Whoever locks things here does so in an order of its own.
   */
  begin?: (tx: Tx, jobs: readonly StartedJob<Payload>[]) => Promise<readonly StartedJob<Payload>[]>;
  /** Called in the transaction that buries a job, after its last attempt failed. */
  onDead?: (tx: Tx, job: Job<Payload>, error: Error) => Promise<void>;
  /** How many of this kind run at once here. A place that falls free goes to the group that waits longest. Default 8. */
  concurrency?: number;
  /** How many of one group run at once, on all nodes together. Left out: as many as of the kind, on each. */
  perGroup?: number;
  /** How many are claimed together; a long batch keeps its first job waiting for `begin` of the last. Default 64. */
  batch?: number;
  /** How long a claim holds without a sign of life. Renewed while the handler runs. Default 60 s. */
  leaseMs?: number;
  /** Default 20. */
  maxAttempts?: number;
  /** Whether an attempt counts that a stop cut short: its effect may have left the server. Default false. */
  interruptedCounts?: boolean;
  /** Wait after failed attempt `attempt` (from 1), in milliseconds. */
  backoff?: (attempt: number) => number;
}

export interface EnqueueOptions {
  /** Unix milliseconds; now when left out. */
  dueAt?: number;
  /** At most one live job of a kind has a given key. */
  key?: string;
  /**
   * Jobs of one kind share its places fairly between groups, such as owners: one that is slow or has much to do keeps no other
   * waiting. A group costs memory as long as it has jobs, so it is for work that takes time, not for what only writes.
   */
  group?: string;
  /** Jobs of one kind and lane run strictly one after the other, in the order they were enqueued. A lane has one group. */
  lane?: string;
  /** When the key is taken: `keep` (default) leaves the present job, even a running one; `replace` supersedes it. */
  onConflict?: 'keep' | 'replace';
}

/** A job as it is stored while it is claimed. */
export interface ClaimedJob extends StartedJob {
  /** Names this claim; only its holder may finish the job. */
  readonly lease: string;
}

/** One that was tried and did not get through: it waits for another time, or gave up. */
export interface UndoneJob<Payload = unknown>
  extends Pick<StartedJob<Payload>, 'id' | 'payload' | 'createdAt'> {
  readonly attempts: number;
  readonly error: string | null;
  /** Null while it waits. */
  readonly diedAt: number | null;
}

export interface DeadJob
  extends Pick<StartedJob, 'id' | 'kind' | 'key' | 'payload'>,
    Pick<UndoneJob, 'attempts' | 'error'> {
  readonly diedAt: number;
}

/** Where jobs are put. */
export interface JobQueue {
  define<Payload>(kind: string, definition: JobDefinition<Payload>): void;
  /** Stores a job in the caller's transaction. False when its key is taken and the present job is kept. */
  enqueue(tx: Tx, kind: string, payload: unknown, options?: EnqueueOptions): Promise<boolean>;
}
