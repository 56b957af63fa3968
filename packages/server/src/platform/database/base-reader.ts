import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { Dialect, Reader } from './database.ts';
import { bridgeKysely } from './kysely-bridge.ts';
import type { SqlQuery, SqlValue } from './sql.ts';

/** What selects with one column hold, and built queries, on top of the ways a reader has to ask. */
export abstract class BaseReader implements Reader {
  readonly dialect: Dialect;
  #kysely: Kysely<unknown> | undefined;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  abstract all<Row>(query: SqlQuery): Promise<Row[]>;
  abstract get<Row>(query: SqlQuery): Promise<Row | undefined>;
  protected abstract execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>>;

  async value<Value extends SqlValue>(query: SqlQuery): Promise<Value | undefined> {
    const row = await this.get<Readonly<Record<string, Value | null>>>(query);
    return row && (Object.values(row)[0] ?? undefined);
  }

  async values<Value extends SqlValue>(query: SqlQuery): Promise<Value[]> {
    const rows = await this.all<Readonly<Record<string, Value>>>(query);
    return rows.flatMap((row) => Object.values(row));
  }

  /** PostgreSQL tells a sum of large numbers as text. */
  async total(query: SqlQuery): Promise<number> {
    return Number((await this.value<number | string>(query)) ?? 0);
  }

  async exists(query: SqlQuery): Promise<boolean> {
    return (await this.get(query)) !== undefined;
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= bridgeKysely(this.dialect, (query) => this.execute(query));
    return this.#kysely as Kysely<Tables>;
  }
}
