import type { SqlQuery, SqlValue } from './sql.ts';

/** What selects with one column hold, on top of a reader's two ways to ask. */
export abstract class ColumnReader {
  abstract all<Row>(query: SqlQuery): Promise<Row[]>;
  abstract get<Row>(query: SqlQuery): Promise<Row | undefined>;

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
}
