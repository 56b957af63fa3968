import type { Dialect } from '../platform/database/database.ts';
import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { step } from '../platform/database/step.ts';

/** What people look at: the capsules that changed last, of everybody or of one owner, and when a peer last wrote one. */
const LATELY = [
  `CREATE INDEX continuity_artifacts_lately ON continuity_artifacts (health_rank, updated_ms DESC) WHERE state = 0`,
  `CREATE INDEX continuity_artifacts_of_owner_lately
    ON continuity_artifacts (owner_id, health_rank, updated_ms DESC) WHERE state = 0`,
  `CREATE INDEX continuity_revisions_of_peer ON continuity_revisions (owner_id, peer_id, recorded_at)`,
];

/** Which bytes were taken over from a folder, so that a restart does not take them over again. */
const IMPORTS = [
  `CREATE TABLE continuity_imports (
    owner_id text NOT NULL,
    path text NOT NULL,
    sha256 text NOT NULL,
    source text NOT NULL,
    imported_at bigint NOT NULL,
    PRIMARY KEY (owner_id, path, sha256)
  )`,
  `CREATE INDEX continuity_imports_by_source ON continuity_imports (source, owner_id)`,
];

/**
 * A capsule's text is kept once, in the revision that wrote it, and the active capsule points at it. Its fallback is
 * the same text until one of the two goes its own way, so `has_snapshot` says that there is one, and it becomes a row of
 * its own only then. An artifact carries beside that what lists filter and sort by. Archives and cold copies hold their
 * own bytes.
 */
export const continuityMigrations: ModuleMigrations = {
  module: 'continuity',
  migrations: [
    step('001 create continuity', tables),
    step('002 remember imports', IMPORTS),
    step('003 revisions by time', [
      `CREATE INDEX continuity_revisions_lately ON continuity_revisions (recorded_at)`,
    ]),
    step('004 subjects lately', LATELY),
    // How many an owner wrote in a stretch of time is counted from the index alone.
    step('005 revisions by time and owner', [
      `DROP INDEX continuity_revisions_lately`,
      `CREATE INDEX continuity_revisions_lately ON continuity_revisions (recorded_at, owner_id)`,
    ]),
  ],
};

function tables(dialect: Dialect): string[] {
  const sqlite = dialect === 'sqlite';
  const bytes = sqlite ? 'blob' : 'bytea';
  // Lists are in the order of characters, on both databases.
  const text = sqlite ? 'text' : 'text COLLATE "C"';
  return [
    `CREATE TABLE continuity_revisions (
      id SERIAL,
      owner_id text NOT NULL,
      kind text NOT NULL,
      slug text NOT NULL,
      number bigint NOT NULL,
      operation text NOT NULL,
      path text NOT NULL,
      removed_paths text,
      updated_at text,
      recorded_at bigint NOT NULL,
      peer_id text NOT NULL,
      commit_message text NOT NULL,
      reason text,
      idempotency_key text,
      sha256 text,
      document text,
      raw ${bytes}
    )`,
    `CREATE UNIQUE INDEX continuity_revisions_of_subject ON continuity_revisions (owner_id, kind, slug, number)`,
    `CREATE INDEX continuity_revisions_of_owner ON continuity_revisions (owner_id, id)`,
    `CREATE TABLE continuity_artifacts (
      owner_id text NOT NULL,
      state integer NOT NULL,
      kind ${text} NOT NULL,
      slug ${text} NOT NULL,
      stamp ${text} NOT NULL,
      subject_id ${text} NOT NULL,
      readable integer NOT NULL,
      revision_id bigint,
      has_snapshot integer NOT NULL,
      document text,
      raw ${bytes},
      stub text,
      sha256 text,
      updated_key text,
      summary text,
      lifecycle_rank integer NOT NULL,
      health_rank integer NOT NULL,
      verified_ms bigint,
      stale_seconds bigint,
      expires_ms bigint,
      resume_adequate integer NOT NULL,
      verification_rank integer NOT NULL,
      attestation integer NOT NULL,
      updated_ms bigint,
      archived_ms bigint,
      label text,
      terms text NOT NULL,
      PRIMARY KEY (owner_id, state, kind, slug, stamp)
    )`,
    `CREATE INDEX continuity_artifacts_in_order ON continuity_artifacts (owner_id, state, kind, subject_id, slug, stamp)`,
    `CREATE INDEX continuity_artifacts_by_archival ON continuity_artifacts (owner_id, archived_ms) WHERE state = 2`,
    `CREATE INDEX continuity_artifacts_by_label ON continuity_artifacts (owner_id, label) WHERE label IS NOT NULL`,
    `CREATE TABLE continuity_terms (
      owner_id text NOT NULL,
      term text NOT NULL,
      state integer NOT NULL,
      kind text NOT NULL,
      slug text NOT NULL,
      stamp text NOT NULL,
      PRIMARY KEY (owner_id, term, state, kind, slug, stamp)
    )`,
    `CREATE INDEX continuity_terms_of_artifact ON continuity_terms (owner_id, state, kind, slug, stamp)`,
    `CREATE TABLE continuity_reads (
      owner_id text NOT NULL,
      kind text NOT NULL,
      slug text NOT NULL,
      read_at bigint NOT NULL,
      PRIMARY KEY (owner_id, kind, slug)
    )`,
    `CREATE TABLE continuity_replays (
      owner_id text NOT NULL,
      kind text NOT NULL,
      slug text NOT NULL,
      idempotency_key text NOT NULL,
      body_sha256 text NOT NULL,
      answer text NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (owner_id, kind, slug, idempotency_key)
    )`,
    `CREATE INDEX continuity_replays_by_expiry ON continuity_replays (expires_at)`,
  ];
}
