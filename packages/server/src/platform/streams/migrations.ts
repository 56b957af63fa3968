import { sql } from 'kysely';
import type { ModuleMigrations } from '../database/migrations.ts';

/** `prev` is the sequence before this one in the same topic, so that a reader of one event sees whether it missed any. */
export const streamMigrations: ModuleMigrations = {
  module: 'streams',
  migrations: [
    {
      name: '001 create stream events',
      up: async (db, dialect) => {
        const seq =
          dialect === 'sqlite'
            ? sql`integer PRIMARY KEY AUTOINCREMENT`
            : sql`bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY`;
        await sql`CREATE TABLE stream_events (
          seq ${seq},
          topic text NOT NULL,
          prev bigint NOT NULL,
          at bigint NOT NULL,
          data text NOT NULL
        )`.execute(db);
        await sql`CREATE UNIQUE INDEX stream_events_topic ON stream_events (topic, seq)`.execute(db);
        await sql`CREATE INDEX stream_events_at ON stream_events (at)`.execute(db);
      },
    },
  ],
};
