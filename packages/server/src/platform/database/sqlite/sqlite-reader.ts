import type { Kysely } from 'kysely';
import type { Reader, SqlQuery } from '../database.ts';
import { DatabaseClosedError } from '../errors.ts';
import { bridgeKysely } from '../kysely-bridge.ts';
import type { SqliteConnection } from './connection.ts';

export class SqliteReader implements Reader {
  readonly #connection: SqliteConnection;
  readonly #kysely: Kysely<unknown>;
  #closed = false;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#kysely = bridgeKysely('sqlite', async (query) => this.#open().execute(query));
  }

  async all<Row>(query: SqlQuery): Promise<Row[]> {
    return this.#open().all(query) as Row[];
  }

  async get<Row>(query: SqlQuery): Promise<Row | undefined> {
    return this.#open().get(query) as Row | undefined;
  }

  kysely<Tables>(): Kysely<Tables> {
    return this.#kysely as Kysely<Tables>;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }

  #open(): SqliteConnection {
    if (this.#closed) throw new DatabaseClosedError();
    return this.#connection;
  }
}
