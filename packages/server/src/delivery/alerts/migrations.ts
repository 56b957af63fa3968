import type { ModuleMigrations } from '../../platform/database/migrations.ts';
import { step } from '../../platform/database/step.ts';

/** `subject` is what an alert is about, the execution or the cue: within a while there is one of a type. */
export const alertMigrations: ModuleMigrations = {
  module: 'delivery_alerts',
  migrations: [
    step('001 create alerts', [
      `CREATE TABLE alerts (
        id text PRIMARY KEY,
        owner_id text NOT NULL,
        cue_id text NOT NULL,
        execution_id text,
        agent text,
        alert_type text NOT NULL,
        subject text NOT NULL,
        severity text NOT NULL,
        message text NOT NULL,
        metadata text NOT NULL,
        acknowledged integer NOT NULL,
        created_at bigint NOT NULL
      )`,
      `CREATE INDEX alerts_owner ON alerts (owner_id, created_at DESC, id DESC)`,
      `CREATE INDEX alerts_subject ON alerts (subject, alert_type, created_at)`,
      `CREATE INDEX alerts_age ON alerts (created_at)`,
    ]),
  ],
};
