import type { CompiledQuery, QueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import { codeOf } from '../../error-words.ts';
import { BaseTx } from '../base-tx.ts';
import type { SqlQuery } from '../database.ts';
import { LockTimeoutError, NeverBegunError } from '../errors.ts';
import { sql } from '../sql.ts';
import type { TableChanges } from '../table-changes.ts';
import { sendBuilt, type SendOptions, sendQuery } from './postgres-reader.ts';

export interface TxOptions extends SendOptions {
  /** The command that begins one. */
  readonly begin: string;
  /** What the operator lets any of them wait for a lock; 0 is for ever. */
  readonly lockMs: number;
}

/** One transaction on one connection. Statements asked for at the same time are sent together, and answered in their order. */
export class PostgresTx extends BaseTx {
  readonly #client: PoolClient;
  #how: TxOptions;
  #begun: Promise<unknown> | undefined;
  /** Settled when what was sent last is answered. */
  #last: Promise<unknown> | undefined;

  constructor(client: PoolClient, changes: TableChanges, how: TxOptions) {
    super('postgres', changes);
    this.#client = client;
    this.#how = how;
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return (await this.#ask(query)).rows as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return (await this.#ask(query)).rows[0] as Row | undefined;
  }

  async run(query: SqlQuery): Promise<number> {
    return (await this.#ask(query)).rowCount ?? 0;
  }

  /** The schema is part of the name: servers that share a database but not their tables do not wait for each other. */
  async lock(name: string, waitMs?: number): Promise<void> {
    if (waitMs !== undefined && !this.#isOverruled(waitMs)) return await this.#lockWithin(name, waitMs);
    if (!this.#begun) return await this.#beginWithLock(name);
    await this.run(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || ${name}::text, 0))`,
    );
  }

  /** The client has a limit of its own, for a connection that was cut without a word. */
  async takeTime(): Promise<void> {
    this.#how = { ...this.#how, limitMs: FOR_EVER_MS };
    await this.run(
      sql`SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`,
    );
  }

  /** Most begin with a lock: one way to the database and back for both. */
  async #beginWithLock(name: string): Promise<void> {
    // As the values of other statements, without NUL.
    const key = this.#client.escapeLiteral(name.replaceAll('\0', '\ufffd'));
    this.assertUsable();
    await this.#begin(
      `${this.#how.begin}; SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || ${key}, 0))`,
    );
  }

  /** Where the operator allows less, it is the database that is held up, as with every other lock. */
  #isOverruled(waitMs: number): boolean {
    const { lockMs } = this.#how;
    return lockMs > 0 && lockMs < waitMs;
  }

  /** One statement sets the limit and takes the lock; the limit ends with the transaction. */
  async #lockWithin(name: string, waitMs: number): Promise<void> {
    try {
      await this.run(sql`
        SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || ${name}::text, 0))
        FROM set_config('lock_timeout', ${String(waitMs)}, true)`);
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      this.failure = new LockTimeoutError(error);
      throw this.failure;
    }
  }

  /** Whether the database knows of this transaction: it hears of it with the first statement. */
  get begun(): boolean {
    return this.#begun !== undefined;
  }

  /** Waits for statements the write function did not await, then hands over the hooks. */
  async end(): Promise<readonly (() => void)[]> {
    await this.abandon();
    if (this.failed) throw this.failure;
    return this.hooks;
  }

  async abandon(): Promise<void> {
    this.ended = true;
    await this.#last;
  }

  protected execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.note(this.changes.ofBuilt(query.sql));
    return this.#send((client) => sendBuilt(client, query, this.#how));
  }

  #ask(query: SqlQuery): ReturnType<typeof sendQuery> {
    this.note(this.changes.ofWritten(query.strings));
    return this.#send((client) => sendQuery(client, query, this.#how));
  }

  /** Nothing was asked for before this, so where it gets no answer all of it may be tried again. */
  #begin(command: string): Promise<unknown> {
    this.#begun = this.#noting(this.#client.query(command).catch(neverBegun));
    return this.#begun;
  }

  /** Behind a `BEGIN` that failed a statement would be a transaction of its own: none is sent before it is answered. */
  async #send<T>(statement: (client: PoolClient) => Promise<T>): Promise<T> {
    this.assertUsable();
    const begun = this.#begun ?? this.#begin(this.#how.begin);
    return await this.#noting(begun.then(() => statement(this.#client)));
  }

  /** The first that fails is what is wrong: those sent behind it are only refused, and whoever waits for one of them may hear first. */
  #noting<T>(answer: Promise<T>): Promise<T> {
    const noted = answer.catch((error: unknown) => {
      if (!this.failed) this.failure = error;
      this.failed = true;
      throw this.failure;
    });
    this.#last = noted.catch(() => {});
    return noted;
  }
}

/** The longest that a timer goes. */
const FOR_EVER_MS = 2 ** 31 - 1;
const LOCK_NOT_AVAILABLE = '55P03';

/** An error of a statement says what is wrong with it; all else is a connection that is not there, or no longer. */
function neverBegun(error: unknown): never {
  const isAnswer = error instanceof Error && 'severity' in error && error.severity === 'ERROR';
  throw isAnswer ? error : new NeverBegunError(error);
}
