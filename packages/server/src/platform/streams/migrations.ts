import type { ModuleMigrations } from '../database/migrations.ts';
import { step } from '../database/step.ts';

/** `prev` is the sequence before this one in the same topic, so that a reader of one event sees whether it missed any. */
export const streamMigrations: ModuleMigrations = {
  module: 'streams',
  migrations: [
    step('001 create stream events', [
      `CREATE TABLE stream_events (
        seq SERIAL,
        topic text NOT NULL,
        prev bigint NOT NULL,
        at bigint NOT NULL,
        data text NOT NULL
      )`,
      `CREATE UNIQUE INDEX stream_events_topic ON stream_events (topic, seq)`,
      `CREATE INDEX stream_events_at ON stream_events (at)`,
    ]),
    step('002 no stream events by time', ['DROP INDEX stream_events_at']),
  ],
};
