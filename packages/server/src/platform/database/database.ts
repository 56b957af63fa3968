import type { Kysely } from 'kysely';
import type { SqlQuery, SqlValue } from './sql.ts';
import type { SlowStatements } from './slow-statements.ts';
import type { TableChanges } from './table-changes.ts';

export type { SqlQuery } from './sql.ts';

export type Dialect = 'sqlite' | 'postgres';

/** Sees committed data only. */
export interface Reader {
  readonly dialect: Dialect;
  all<Row>(query: SqlQuery): Promise<Row[]>;
  get<Row>(query: SqlQuery): Promise<Row | undefined>;
  /** Of a select with one column: what the first row holds. Undefined when that is null, or there is no row. */
  value<Value extends SqlValue>(query: SqlQuery): Promise<Value | undefined>;
  /** Of a select with one column: what each row holds. */
  values<Value extends SqlValue>(query: SqlQuery): Promise<Value[]>;
  /** A count or a sum; 0 of nothing. */
  total(query: SqlQuery): Promise<number>;
  /** Whether a select has any row. */
  exists(query: SqlQuery): Promise<boolean>;
  /** For built queries; `Tables` is the module's own table interface. */
  kysely<Tables>(): Kysely<Tables>;
}

/**
 * Sees its own changes. A failed statement fails its whole write on both databases, even when the error is caught:
 * use `ON CONFLICT` where a conflict is expected.
 */
export interface Tx extends Reader {
  /** Number of affected rows. */
  run(query: SqlQuery): Promise<number>;
  /** Whether it affected any row. */
  affects(query: SqlQuery): Promise<boolean>;
  /**
   * Runs in this transaction once the write function is through, for what is gathered on the way and written together. It may
   * not add a further step.
   */
  beforeCommit(step: () => Promise<void>): void;
  /** Runs after the commit is on disk, in the order of the writes; never if this write is rolled back. */
  afterCommit(hook: () => void): void;
  /**
   * Serialises the writers of one named thing until the commit. SQLite has one writer anyway. With `waitMs`, waiting
   * longer fails the write with `LockTimeoutError`; where the operator lets nobody wait for so long, as any other lock does.
   */
  lock(name: string, waitMs?: number): Promise<void>;
  /** From here on statements of this transaction, and their waiting for locks, may take as long as they do. */
  takeTime(): Promise<void>;
}

export type WriteFunction<T> = (tx: Tx) => Promise<T> | T;

export interface Database {
  readonly dialect: Dialect;
  readonly read: Reader;
  /** Tells of committed writes, table by table. */
  readonly changes: TableChanges;
  readonly slow: SlowStatements;
  /**
   * The only way to change anything: one transaction, resolved after its commit is durable.
   *
   * Inside `fn` await nothing but `tx`: other I/O, or another `write`, holds up every writer on SQLite and is cut off
   * with `WriteStalledError`. PostgreSQL runs `fn` again after a serialisation conflict, and where the connection was
   * lost before the commit, so announce things with `afterCommit` instead of changing memory.
   */
  write<T>(fn: WriteFunction<T>): Promise<T>;
  /** Lets accepted writes finish, refuses new ones. */
  close(): Promise<void>;
}

export interface DatabaseEvents {
  /** An `afterCommit` hook threw. The commit stands and the other hooks run. */
  onHookError?: (error: unknown) => void;
  /** An idle connection to PostgreSQL broke. The pool replaces it. */
  onConnectionError?: (error: unknown) => void;
}
