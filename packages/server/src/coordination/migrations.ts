import type { Dialect } from '../platform/database/database.ts';
import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { step } from '../platform/database/step.ts';

/**
 * An artifact is its document; beside it stands what lists filter and sort by, and in rows of their own who has to do with it.
 */
export const coordinationMigrations: ModuleMigrations = {
  module: 'coordination',
  migrations: [
    step('001 create coordination', tables),
    step('002 find the parties of an artifact', [
      `CREATE INDEX coordination_parties_of_artifact ON coordination_parties (owner_id, kind, artifact_id)`,
    ]),
    step('003 artifacts of everybody by time', [
      `CREATE INDEX coordination_artifacts_lately
        ON coordination_artifacts (kind, sorted_at DESC, artifact_id)`,
    ]),
  ],
};

function tables(dialect: Dialect): string[] {
  // Lists are in the order of characters, on both databases.
  const text = dialect === 'sqlite' ? 'text' : 'text COLLATE "C"';
  return [
    `CREATE TABLE coordination_artifacts (
      owner_id text NOT NULL,
      kind text NOT NULL,
      artifact_id ${text} NOT NULL,
      document text NOT NULL,
      version bigint NOT NULL,
      status text,
      classification text,
      task_id text,
      thread_id text,
      sorted_at ${text} NOT NULL,
      message_id text,
      PRIMARY KEY (owner_id, kind, artifact_id)
    )`,
    `CREATE INDEX coordination_artifacts_in_order ON coordination_artifacts (owner_id, kind, sorted_at DESC, artifact_id)`,
    `CREATE TABLE coordination_parties (
      owner_id text NOT NULL,
      kind text NOT NULL,
      role text NOT NULL,
      peer_id text NOT NULL,
      artifact_id ${text} NOT NULL,
      PRIMARY KEY (owner_id, kind, role, peer_id, artifact_id)
    )`,
    `CREATE TABLE coordination_peers (
      owner_id text NOT NULL,
      peer_id ${text} NOT NULL,
      base_url text,
      public_key text,
      capabilities_url text NOT NULL,
      trust_level text NOT NULL,
      allowed_scopes text NOT NULL,
      created_at text NOT NULL,
      updated_at text NOT NULL,
      trust_history text NOT NULL,
      PRIMARY KEY (owner_id, peer_id)
    )`,
  ];
}
