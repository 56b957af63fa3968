import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Dialect } from './database.ts';

type Execute = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>;

const DIALECTS = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

/** A Kysely whose every statement goes through `execute`: it owns no connection and no transaction of its own. */
export function bridgeKysely<Tables>(dialect: Dialect, execute: Execute): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: { ...DIALECTS[dialect], createDriver: () => new BridgeDriver(execute) },
  });
}

class BridgeDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(execute: Execute) {
    this.#connection = {
      executeQuery: execute,
      async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
        yield await execute<Row>(query);
      },
    };
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('transactions are made with db.write');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
}
