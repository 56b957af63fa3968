import type { Dialect } from '../platform/database/database.ts';
import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { step } from '../platform/database/step.ts';

/** Times are texts of whole seconds, which compare as the times do. */
export const scheduleMigrations: ModuleMigrations = {
  module: 'schedule',
  migrations: [
    step('001 create schedule', tables),
    step('002 items of everybody by time', [
      `CREATE INDEX schedule_items_lately ON schedule_items (status, due_at, schedule_id)`,
    ]),
  ],
};

function tables(dialect: Dialect): string[] {
  // Lists are in the order of characters, on both databases.
  const text = dialect === 'sqlite' ? 'text' : 'text COLLATE "C"';
  return [
    `CREATE TABLE schedule_stores (
      owner_id text PRIMARY KEY,
      created_at bigint NOT NULL
    )`,
    `CREATE TABLE schedule_items (
      owner_id text NOT NULL,
      schedule_id ${text} NOT NULL,
      kind text NOT NULL,
      status text NOT NULL,
      title text NOT NULL,
      note text,
      due_at ${text} NOT NULL,
      created_at text NOT NULL,
      updated_at text NOT NULL,
      created_by text NOT NULL,
      updated_by text NOT NULL,
      terminal_at text,
      terminal_by text,
      terminal_reason text,
      task_id text,
      thread_id text,
      subject_kind text,
      subject_id text,
      idempotency_key text,
      metadata text NOT NULL,
      version bigint NOT NULL,
      wake_agent text,
      create_identity_json text NOT NULL,
      create_identity_hash text NOT NULL,
      PRIMARY KEY (owner_id, schedule_id)
    )`,
    `CREATE UNIQUE INDEX schedule_items_by_key ON schedule_items (owner_id, idempotency_key)`,
    `CREATE INDEX schedule_items_in_order ON schedule_items (owner_id, due_at, schedule_id, status)`,
    `CREATE INDEX schedule_items_of_subject ON schedule_items (owner_id, subject_kind, subject_id, status, due_at, schedule_id)`,
    `CREATE INDEX schedule_items_of_thread ON schedule_items (owner_id, thread_id, status, due_at, schedule_id)`,
    `CREATE INDEX schedule_items_of_task ON schedule_items (owner_id, task_id, status, due_at, schedule_id)`,
  ];
}
