import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import type { Database, DatabaseEvents, Reader, WriteFunction } from '../database.ts';
import { codeOf, messageOf } from '../../error-words.ts';
import { CommitUnknownError, DatabaseClosedError, isCutOff, NeverBegunError } from '../errors.ts';
import { runAll } from '../../run-all.ts';
import { SlowStatements } from '../slow-statements.ts';
import { TableChanges } from '../table-changes.ts';
import { PostgresReader } from './postgres-reader.ts';
import { PostgresTx, type TxOptions } from './postgres-tx.ts';

export interface PostgresOptions extends DatabaseEvents {
  /** Connections for reading, and as many again for writing. */
  poolSize?: number;
  /** What others may be held up by us, and we by others. */
  patience?: Patience;
  /** How much longer than a statement may take its answer is waited for. */
  graceMs?: number;
  /** Through a pooler that lends connections by transaction: no setting and no prepared statement outlasts one. */
  pooled?: boolean;
}

/** In milliseconds; 0 is for ever. */
export interface Patience {
  readonly statementMs: number;
  readonly lockMs: number;
  /** A process that stands still within a transaction keeps its rows and locks from all others. */
  readonly idleInTransactionMs: number;
}

const DEFAULT_PATIENCE: Patience = { statementMs: 30_000, lockMs: 10_000, idleInTransactionMs: 10_000 };

/** Also how long a statement waits for a connection while all are in use. */
const CONNECT_MS = 10_000;
const SERIALISATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const ATTEMPTS = 5;
/** Doubled with each attempt: some two seconds in all, in which a database that was restarted is back. */
const FIRST_RETRY_MS = 60;
const PATIENT_MS = 3_000;

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly read: Reader;
  readonly changes = new TableChanges();
  readonly slow = new SlowStatements();
  readonly #pools: ReturnType<typeof openPools>;
  readonly #how: TxOptions;
  readonly #onHookError: (error: unknown) => void;
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(url: string, options: PostgresOptions = {}) {
    const { onHookError = () => {}, onConnectionError = () => {}, poolSize = 9 } = options;
    const { patience = DEFAULT_PATIENCE, pooled = false, graceMs = CONNECT_MS } = options;
    this.#pools = openPools(url, { size: poolSize, patience, graceMs, pooled, onError: onConnectionError });
    this.#onHookError = onHookError;
    const begin = pooled ? beginWith(settingsOf(patience)) : 'BEGIN';
    this.#how = { slow: this.slow, pooled, begin, lockMs: patience.lockMs };
    this.read = new PostgresReader(this.#pools.reads, this.#how);
  }

  write<T>(fn: WriteFunction<T>): Promise<T> {
    if (this.#closing) return Promise.reject(new DatabaseClosedError());
    const running = this.#writeWithRetries(fn);
    this.#running.add(running);
    const forget = (): void => void this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(async () => {
      await Promise.all([this.#pools.reads.end(), this.#pools.writes.end()]);
    });
    return this.#closing;
  }

  async #writeWithRetries<T>(fn: WriteFunction<T>): Promise<T> {
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writeOnce(fn);
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        // One that was waited for in vain will not be there sooner for being asked again.
        if (isCutOff(error) && performance.now() - began < PATIENT_MS)
          await sleep(FIRST_RETRY_MS * 2 ** attempt);
        else if (!isConflict(error)) throw error;
      }
    }
  }

  async #writeOnce<T>(fn: WriteFunction<T>): Promise<T> {
    const client = await this.#pools.writes.connect().catch(lost);
    // The pool listens only to idle connections; one that breaks in use would otherwise end the process.
    client.on('error', ignore);
    const tx = new PostgresTx(client, this.changes, this.#how);
    let value: T;
    let hooks: readonly (() => void)[];
    try {
      value = await fn(tx);
      for (const step of tx.lastSteps) await step();
      hooks = await tx.end();
      if (tx.begun) await client.query('COMMIT').catch(notCommitted);
    } catch (error) {
      await tx.abandon();
      await rollBack(client);
      throw error;
    }
    client.off('error', ignore);
    client.release();
    const told = tx.wrote && this.changes.committed(tx.wrote);
    runAll(hooks, this.#onHookError);
    await told;
    return value;
  }
}

function lost(error: unknown): never {
  throw new NeverBegunError(error);
}

/** A constraint or another transaction was against it, or the session ended before it heard of the commit. */
const UNDONE = /^(?:23|40|25P03)/;
/** The client knew already that its connection had gone. */
const NOT_SENT = / is not queryable$/;

/** Whoever is told of an error knows; whose connection broke does not. Severities are said in the language of the database. */
function notCommitted(error: unknown): never {
  const { severity, code } = error as { severity?: unknown; code?: unknown };
  const isUndone = severity === 'ERROR' || UNDONE.test(String(code)) || NOT_SENT.test(messageOf(error));
  throw isUndone ? error : new CommitUnknownError(error);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** A connection that cannot even roll back is thrown away with its transaction. */
async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK');
    client.off('error', ignore);
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}

/** The statement that was under way, or the next one, reports it. */
function ignore(): void {}

function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === SERIALISATION_FAILURE || code === DEADLOCK;
}

const INT8 = 20;
const NUMERIC = 1700;

/** Counts and Unix milliseconds come as numbers on both databases; every integer kept here is a safe one. */
export const numericTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    if (oid === INT8 || oid === NUMERIC) return Number;
    return types.getTypeParser(oid, format ?? 'text') as (value: string) => unknown;
  },
} as typeof types;

interface PoolsOptions {
  readonly size: number;
  readonly patience: Patience;
  readonly graceMs: number;
  readonly pooled: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Two pools: a read cannot change anything, and a write function that reads beside its transaction can never wait for
 * the connection it holds itself. A pooler refuses settings of a connection that it does not know: behind one, those of the role apply to
 * reads, and each write says its own.
 */
function openPools(url: string, { size, patience, graceMs, pooled, onError }: PoolsOptions) {
  const { statementMs } = patience;
  const pool = (connectionString: string, more: PoolConfig = {}): Pool =>
    new Pool({
      ...more,
      connectionString,
      max: size,
      types: numericTypes,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      // A connection that was cut without a word says nothing about the time of its statements either.
      ...(statementMs > 0 && { query_timeout: statementMs + graceMs }),
    }).on('error', onError);
  const writing = pooled ? url : settingsOf(patience).reduce(withOption, url);
  const reading = pooled ? url : withOption(writing, 'default_transaction_read_only=on');
  return { reads: pool(reading), writes: pool(writing, { pipeline: true }) };
}

const settingsOf = ({ statementMs, lockMs, idleInTransactionMs }: Patience): string[] => [
  `statement_timeout=${statementMs}`,
  `lock_timeout=${lockMs}`,
  `idle_in_transaction_session_timeout=${idleInTransactionMs}`,
  // Compiling a statement takes longer than any of ours runs.
  'jit=off',
];

/** In one message to the server, and over with the transaction. */
const beginWith = (settings: readonly string[]): string =>
  ['BEGIN', ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; ');

/** Adds a session setting to a connection URL, keeping those it already asks for. */
export function withOption(url: string, setting: string): string {
  const parsed = new URL(url);
  const present = parsed.searchParams.get('options');
  parsed.searchParams.set('options', `${present ? `${present} ` : ''}-c ${setting}`);
  return parsed.href;
}
