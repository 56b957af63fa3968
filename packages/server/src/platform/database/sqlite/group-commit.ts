import type { WriteFunction } from '../database.ts';
import type { TableChanges } from '../table-changes.ts';
import { DatabaseClosedError, NestedWriteError, WriteStalledError } from '../errors.ts';
import { runAll } from '../../run-all.ts';
import type { SqliteStatement } from './binding.ts';
import type { SqliteConnection } from './connection.ts';
import { SqliteTx } from './sqlite-tx.ts';

/*
 * Concurrent writers share one transaction and so one wait for the disk.
 *
 *   queued → running (own savepoint) → done ──┬─ COMMIT worked → hooks run, caller resolves
 *                   └ threw: savepoint undone,│
 *                     only its caller rejects └─ COMMIT failed → every caller of the batch rejects, no hook runs
 *
 * A batch is what was asked for in one turn of the event loop. A lone writer waits for nobody and needs no savepoint.
 */

interface PendingWrite {
  readonly fn: WriteFunction<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface DoneWrite {
  readonly write: PendingWrite;
  readonly value: unknown;
  readonly hooks: readonly (() => void)[];
  readonly wrote: ReadonlySet<string> | undefined;
}

/** Bounds how long one batch keeps the event loop, and the first caller of it, waiting. */
const LARGEST_BATCH = 128;

export interface GroupCommitOptions {
  changes: TableChanges;
  onHookError: (error: unknown) => void;
  /** How long a write function may await something other than its tx before it is cut off. */
  stallMs?: number;
}

export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #changes: TableChanges;
  readonly #onHookError: (error: unknown) => void;
  readonly #stallMs: number;
  // Stepped with get(), which unlike run() builds no result object: a fifth of the cost of a small write.
  readonly #begin: SqliteStatement;
  readonly #commit: SqliteStatement;
  readonly #rollback: SqliteStatement;
  readonly #savepoint: SqliteStatement;
  readonly #release: SqliteStatement;
  readonly #undo: SqliteStatement;
  #queue: PendingWrite[] = [];
  #draining = false;
  #closed = false;
  #whenIdle: (() => void) | undefined;
  /** True only in the synchronous part of a write function: catches the plain form of a nested write at once. */
  #calling = false;
  #cutOff: ((error: unknown) => void) | undefined;

  constructor(connection: SqliteConnection, { changes, onHookError, stallMs = 5_000 }: GroupCommitOptions) {
    this.#connection = connection;
    this.#changes = changes;
    this.#onHookError = onHookError;
    this.#stallMs = stallMs;
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#commit = connection.prepare('COMMIT');
    this.#rollback = connection.prepare('ROLLBACK');
    this.#savepoint = connection.prepare('SAVEPOINT w');
    this.#release = connection.prepare('RELEASE w');
    this.#undo = connection.prepare('ROLLBACK TO w');
  }

  write<T>(fn: WriteFunction<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new DatabaseClosedError());
    if (this.#calling) return Promise.reject(new NestedWriteError());
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ fn, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#draining) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  #schedule(): void {
    if (this.#draining) return;
    this.#draining = true;
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    const batch = this.#queue.length > LARGEST_BATCH ? this.#queue.splice(0, LARGEST_BATCH) : this.#queue;
    if (batch === this.#queue) this.#queue = [];
    await this.#commitBatch(batch);
    this.#draining = false;
    if (this.#queue.length > 0) this.#schedule();
    else this.#whenIdle?.();
  }

  async #commitBatch(batch: readonly PendingWrite[]): Promise<void> {
    const done: DoneWrite[] = [];
    const watch = this.#watchForStall();
    try {
      this.#begin.get();
      for (const write of batch) await this.#runOne(write, batch.length > 1, done);
      if (done.length > 0) this.#commit.get();
      else if (this.#connection.inTransaction) this.#rollback.get();
    } catch (error) {
      if (this.#connection.inTransaction) this.#rollback.get();
      // Rejecting a caller that already has its own error changes nothing.
      for (const write of batch) write.reject(error);
      return;
    } finally {
      clearInterval(watch);
    }
    for (const { wrote } of done) if (wrote) void this.#changes.committed(wrote);
    for (const { write, value, hooks } of done) {
      runAll(hooks, this.#onHookError);
      write.resolve(value);
    }
  }

  /** Throws only when the shared transaction itself is lost. */
  async #runOne(write: PendingWrite, shared: boolean, done: DoneWrite[]): Promise<void> {
    const tx = new SqliteTx(this.#connection, this.#changes);
    if (shared) this.#savepoint.get();
    try {
      const value = await this.#call(write.fn, tx);
      for (const step of tx.lastSteps) await this.#call(step, tx);
      const hooks = tx.end();
      if (shared) this.#release.get();
      done.push({ write, value, hooks, wrote: tx.wrote });
    } catch (error) {
      tx.abandon();
      // SQLite ends the transaction by itself on a full disk or a broken file; then nobody's write is kept.
      if (!this.#connection.inTransaction) throw error;
      if (shared) {
        this.#undo.get();
        this.#release.get();
      }
      write.reject(error);
    }
  }

  #call(fn: WriteFunction<unknown>, tx: SqliteTx): unknown {
    let result: unknown;
    this.#calling = true;
    try {
      result = fn(tx);
    } finally {
      this.#calling = false;
    }
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      this.#cutOff = reject;
      result.then(resolve, reject);
    });
  }

  /** Fires only when the event loop turns in mid-batch, which a write function that awaits just its tx never lets it. */
  #watchForStall(): NodeJS.Timeout {
    let last: unknown;
    return setInterval(() => {
      if (last === this.#cutOff) this.#cutOff?.(new WriteStalledError(this.#stallMs));
      last = this.#cutOff;
    }, this.#stallMs);
  }
}
