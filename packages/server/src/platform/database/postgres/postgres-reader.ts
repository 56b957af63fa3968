import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Reader, SqlQuery } from '../database.ts';
import { DatabaseClosedError } from '../errors.ts';
import { bridgeKysely } from '../kysely-bridge.ts';
import type { SlowStatements } from '../slow-statements.ts';
import { postgresText } from '../sql.ts';

/** Whatever a statement can be sent to: the pool, or the one connection that holds a transaction. */
export type PostgresSender = Pool | PoolClient;

export async function sendQuery(sender: PostgresSender, query: SqlQuery, slow?: SlowStatements) {
  const { name, text } = postgresText(query.strings);
  const began = performance.now();
  const result = await sender.query({ name, text, values: storable(query.values) });
  slow?.note(() => text, began);
  return result;
}

export async function sendBuilt<Row>(
  sender: PostgresSender,
  query: CompiledQuery,
  slow?: SlowStatements,
): Promise<QueryResult<Row>> {
  const began = performance.now();
  const result = await sender.query({ text: query.sql, values: storable(query.parameters) });
  slow?.note(() => query.sql, began);
  return { rows: result.rows as Row[], numAffectedRows: BigInt(result.rowCount ?? 0) };
}

/**
 * PostgreSQL refuses text with a NUL character. It becomes U+FFFD, as half a surrogate pair does anyway, so that an id with
 * one is an unknown id and not a failure.
 */
function storable(values: readonly unknown[]): unknown[] {
  return values.map((value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value,
  );
}

export class PostgresReader implements Reader {
  readonly #pool: Pool;
  readonly #kysely: Kysely<unknown>;

  readonly #slow: SlowStatements | undefined;

  constructor(pool: Pool, slow?: SlowStatements) {
    this.#pool = pool;
    this.#slow = slow;
    this.#kysely = bridgeKysely('postgres', async (query) => await sendBuilt(this.#open(), query, slow));
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return (await sendQuery(this.#open(), query, this.#slow)).rows as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return (await sendQuery(this.#open(), query, this.#slow)).rows[0] as Row | undefined;
  }

  kysely<Tables>(): Kysely<Tables> {
    return this.#kysely as Kysely<Tables>;
  }

  #open(): Pool {
    if (this.#pool.ending) throw new DatabaseClosedError();
    return this.#pool;
  }
}
