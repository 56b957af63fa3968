import type { CompiledQuery, QueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { BaseReader } from '../base-reader.ts';
import type { SqlQuery } from '../database.ts';
import { DatabaseClosedError } from '../errors.ts';
import type { SlowStatements } from '../slow-statements.ts';
import { postgresText, storable } from '../sql.ts';

/** Whatever a statement can be sent to: the pool, or the one connection that holds a transaction. */
export type PostgresSender = Pool | PoolClient;

export interface SendOptions {
  readonly slow: SlowStatements;
  /** The connection is another one for each transaction: nothing that was prepared on it is there the next time. */
  readonly pooled: boolean;
  /** Instead of what the connection has. */
  readonly limitMs?: number;
}

export async function sendQuery(sender: PostgresSender, query: SqlQuery, how: SendOptions) {
  const { slow, pooled, limitMs } = how;
  const { name, text } = postgresText(query.strings);
  const began = performance.now();
  const values = [...storable(query.values)];
  const statement = { text, values, query_timeout: limitMs };
  const result = await sender.query(pooled ? statement : { name, ...statement });
  slow.note(() => text, began);
  return result;
}

export async function sendBuilt<Row>(
  sender: PostgresSender,
  query: CompiledQuery,
  { slow, limitMs }: SendOptions,
): Promise<QueryResult<Row>> {
  const began = performance.now();
  const statement = { text: query.sql, values: [...storable(query.parameters)], query_timeout: limitMs };
  const result = await sender.query(statement);
  slow.note(() => query.sql, began);
  return { rows: result.rows as Row[], numAffectedRows: BigInt(result.rowCount ?? 0) };
}

export class PostgresReader extends BaseReader {
  readonly #pool: Pool;
  readonly #how: SendOptions;

  constructor(pool: Pool, how: SendOptions) {
    super('postgres');
    this.#pool = pool;
    this.#how = how;
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return (await sendQuery(this.#open(), query, this.#how)).rows as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return (await sendQuery(this.#open(), query, this.#how)).rows[0] as Row | undefined;
  }

  protected async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return await sendBuilt(this.#open(), query, this.#how);
  }

  #open(): Pool {
    if (this.#pool.ending) throw new DatabaseClosedError();
    return this.#pool;
  }
}
