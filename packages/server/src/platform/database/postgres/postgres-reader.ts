import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { ColumnReader } from '../column-reader.ts';
import type { Reader, SqlQuery } from '../database.ts';
import { DatabaseClosedError } from '../errors.ts';
import { bridgeKysely } from '../kysely-bridge.ts';
import type { SlowStatements } from '../slow-statements.ts';
import { postgresText, storable } from '../sql.ts';

/** Whatever a statement can be sent to: the pool, or the one connection that holds a transaction. */
export type PostgresSender = Pool | PoolClient;

export interface SendOptions {
  readonly slow?: SlowStatements;
  /** The connection is another one for each transaction: nothing that was prepared on it is there the next time. */
  readonly pooled?: boolean;
}

export async function sendQuery(
  sender: PostgresSender,
  query: SqlQuery,
  { slow, pooled = false }: SendOptions,
) {
  const { name, text } = postgresText(query.strings);
  const began = performance.now();
  const values = [...storable(query.values)];
  const result = await sender.query(pooled ? { text, values } : { name, text, values });
  slow?.note(() => text, began);
  return result;
}

export async function sendBuilt<Row>(
  sender: PostgresSender,
  query: CompiledQuery,
  { slow }: SendOptions,
): Promise<QueryResult<Row>> {
  const began = performance.now();
  const result = await sender.query({ text: query.sql, values: [...storable(query.parameters)] });
  slow?.note(() => query.sql, began);
  return { rows: result.rows as Row[], numAffectedRows: BigInt(result.rowCount ?? 0) };
}

export class PostgresReader extends ColumnReader implements Reader {
  readonly dialect = 'postgres';
  readonly #pool: Pool;
  readonly #kysely: Kysely<unknown>;

  readonly #how: SendOptions;

  constructor(pool: Pool, how: SendOptions = {}) {
    super();
    this.#pool = pool;
    this.#how = how;
    this.#kysely = bridgeKysely('postgres', async (query) => await sendBuilt(this.#open(), query, how));
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return (await sendQuery(this.#open(), query, this.#how)).rows as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return (await sendQuery(this.#open(), query, this.#how)).rows[0] as Row | undefined;
  }

  kysely<Tables>(): Kysely<Tables> {
    return this.#kysely as Kysely<Tables>;
  }

  #open(): Pool {
    if (this.#pool.ending) throw new DatabaseClosedError();
    return this.#pool;
  }
}
