import type { Tx } from '../database/database.ts';

/** One piece of work that is due at a time. It may run more than once, but counts as done exactly once. */
export interface Job<Payload = unknown> {
  readonly id: number;
  readonly kind: string;
  readonly key: string | null;
  readonly lane: string | null;
  readonly payload: Payload;
  readonly dueAt: number;
  readonly createdAt: number;
  /** From 1. An attempt cut short by a crash counts. */
  readonly attempt: number;
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
  /** Aborted when the job is no longer ours, or the server stops. */
  readonly signal: AbortSignal;
}

export interface JobDefinition<Payload> {
  handler: (job: Job<Payload>, run: JobRun) => Promise<void>;
  /** Called in the transaction that buries a job, after its last attempt failed. */
  onDead?: (tx: Tx, job: Job<Payload>, error: Error) => Promise<void>;
  /** How many of this kind run at once here. Default 8. */
  concurrency?: number;
  /** How long a claim holds without a sign of life. Renewed while the handler runs. Default 60 s. */
  leaseMs?: number;
  /** Default 20. */
  maxAttempts?: number;
  /** Wait after failed attempt `attempt` (from 1), in milliseconds. */
  backoff?: (attempt: number) => number;
}

export interface EnqueueOptions {
  /** Unix milliseconds; now when left out. */
  dueAt?: number;
  /** At most one live job of a kind has a given key. */
  key?: string;
  /** Jobs of one kind and lane run strictly one after the other, in the order they were enqueued. */
  lane?: string;
  /** When the key is taken: `keep` (default) leaves the present job, even a running one; `replace` supersedes it. */
  onConflict?: 'keep' | 'replace';
}

/** A job as it is stored while it is claimed. */
export interface ClaimedJob {
  readonly id: number;
  readonly kind: string;
  readonly key: string | null;
  readonly lane: string | null;
  readonly payload: unknown;
  readonly dueAt: number;
  readonly createdAt: number;
  readonly attempts: number;
  /** Names this claim; only its holder may finish the job. */
  readonly lease: string;
}

export interface DeadJob {
  readonly id: number;
  readonly kind: string;
  readonly key: string | null;
  readonly payload: unknown;
  readonly attempts: number;
  readonly error: string | null;
  readonly diedAt: number;
}
