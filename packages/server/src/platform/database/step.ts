import { sql } from 'kysely';
import type { Dialect } from './database.ts';
import type { Migration } from './migrations.ts';

const SERIAL = {
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT',
  postgres: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
};

/** A migration that is statements and no more. In them `SERIAL` is a key that the database counts up. */
export const step = (
  name: string,
  statements: readonly string[] | ((dialect: Dialect) => readonly string[]),
): Migration => ({
  name,
  async up(db, dialect) {
    for (const text of typeof statements === 'function' ? statements(dialect) : statements)
      await sql.raw(text.replace('SERIAL', SERIAL[dialect])).execute(db);
  },
});
