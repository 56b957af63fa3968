/** How far the bridge of an agent says that each wake came. `ref`: the message, execution, handoff, or room and turn. */
export const WAKE_RECEIPTS: readonly string[] = [
  `CREATE TABLE wake_receipts (
    agent text NOT NULL,
    kind text NOT NULL,
    ref text NOT NULL,
    bridge text,
    delivered_at bigint NOT NULL,
    invoked_at bigint,
    resumed_at bigint,
    updated_at bigint NOT NULL,
    PRIMARY KEY (agent, kind, ref)
  )`,
  `CREATE INDEX wake_receipts_age ON wake_receipts (agent, updated_at DESC, ref)`,
];

/** Agents as delivery knows them, their live sessions and the workers of an owner. */
export const AGENT_TABLES: readonly string[] = [
  // `capabilities` null: never declared. `bg_beat_at`: the last beat of a background handler, null if there never was one.
  `CREATE TABLE agent_delivery (
    agent text PRIMARY KEY,
    owner_id text NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint,
    parent text,
    status text NOT NULL,
    capabilities text,
    preferred_contact text,
    profile text NOT NULL,
    metadata text NOT NULL,
    webhook_url text,
    webhook_secret text,
    previous_webhook_secret text,
    previous_webhook_secret_until bigint,
    inbound_policy text,
    inbound_allow text NOT NULL,
    bg_task text NOT NULL,
    bg_beat_at bigint,
    last_seen_at bigint
  )`,
  `CREATE INDEX agent_delivery_owner ON agent_delivery (owner_id, created_at, agent)`,
  `CREATE INDEX agent_delivery_task ON agent_delivery (owner_id, bg_task) WHERE deleted_at IS NULL`,
  `CREATE INDEX agent_delivery_deleted ON agent_delivery (deleted_at) WHERE deleted_at IS NOT NULL`,
  // The last agent that gave up a slug by renaming.
  `CREATE TABLE agent_former_slugs (
    owner_id text NOT NULL,
    slug text NOT NULL,
    agent text NOT NULL,
    given_up_at bigint NOT NULL,
    PRIMARY KEY (owner_id, slug)
  )`,
  // `slug`: what the task name stands for. The token rests sealed for the directory and hashed for the comparison.
  `CREATE TABLE live_sessions (
    id text PRIMARY KEY,
    owner_id text NOT NULL,
    agent text NOT NULL,
    label text NOT NULL,
    task_name text NOT NULL,
    slug text NOT NULL,
    cue_id text NOT NULL,
    is_default integer NOT NULL,
    monitor_version text,
    session_token text,
    session_token_hash text,
    attestation_key text,
    attached_at bigint NOT NULL,
    beat_at bigint NOT NULL,
    last_claim_at bigint,
    detached_at bigint,
    detached_reason text
  )`,
  `CREATE UNIQUE INDEX live_sessions_label ON live_sessions (agent, label) WHERE detached_at IS NULL`,
  `CREATE UNIQUE INDEX live_sessions_default ON live_sessions (agent) WHERE detached_at IS NULL AND is_default = 1`,
  `CREATE UNIQUE INDEX live_sessions_cue ON live_sessions (cue_id) WHERE detached_at IS NULL`,
  `CREATE INDEX live_sessions_agent ON live_sessions (agent, attached_at)`,
  `CREATE INDEX live_sessions_owner ON live_sessions (owner_id, slug) WHERE detached_at IS NULL`,
  `CREATE INDEX live_sessions_detached ON live_sessions (detached_at) WHERE detached_at IS NOT NULL`,
  `CREATE TABLE workers (
    owner_id text NOT NULL,
    worker_id text NOT NULL,
    handlers text NOT NULL,
    registered_at bigint NOT NULL,
    beat_at bigint NOT NULL,
    PRIMARY KEY (owner_id, worker_id)
  )`,
];
