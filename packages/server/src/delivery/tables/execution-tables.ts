/** Executions, their outcomes and the webhooks that carry them. */
export const EXECUTION_TABLES: readonly string[] = [
  // `owner_id` may claim and report: the owner of the cue, or of the recipient. `task` is who it is offered to now.
  // `held`: a live offer that waits for a session. `beat_age_ms`: how long ago whoever takes it was last heard of, when it
  // was routed. The payload of a message is made from the message when it is read.
  `CREATE TABLE executions (
    id text PRIMARY KEY,
    owner_id text NOT NULL,
    sender_owner text,
    source text NOT NULL,
    cue_id text NOT NULL,
    message_id text,
    agent text,
    session_id text,
    task text,
    status text NOT NULL,
    triggered_by text NOT NULL,
    payload text,
    delivery_mode text,
    live_fallback_mode text,
    channel text,
    route text,
    held integer NOT NULL,
    via_parent integer NOT NULL,
    beat_age_ms bigint,
    scheduled_for bigint NOT NULL,
    live_deadline_at bigint,
    live_claimed_at bigint,
    live_token_hash text,
    live_attestation text,
    live_unclaimed_reason text,
    attempts integer NOT NULL,
    claimed_by text,
    claimed_at bigint,
    lease_expires_at bigint,
    last_heartbeat_at bigint,
    started_at bigint,
    delivered_at bigint,
    last_attempt_at bigint,
    next_retry_at bigint,
    http_status integer,
    response_body text,
    error_message text,
    executed_via text,
    outcome_success integer,
    outcome_state text,
    result_type text,
    has_evidence integer NOT NULL,
    chain_parent_id text,
    chain_depth integer NOT NULL,
    replayed_from text,
    trace text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
  )`,
  `CREATE INDEX executions_owner ON executions (owner_id, created_at DESC, id DESC)`,
  `CREATE INDEX executions_cue ON executions (cue_id, created_at DESC, id DESC)`,
  `CREATE INDEX executions_agent ON executions (agent, created_at DESC, id DESC)`,
  `CREATE INDEX executions_message ON executions (message_id) WHERE message_id IS NOT NULL`,
  `CREATE UNIQUE INDEX executions_scheduled ON executions (cue_id, scheduled_for) WHERE triggered_by = 'scheduled'`,
  `CREATE INDEX executions_claimable ON executions (owner_id, scheduled_for, id)
    WHERE status IN ('pending', 'retry_ready') AND channel IN ('live', 'bg')`,
  `CREATE INDEX executions_claimable_task ON executions (owner_id, task, scheduled_for, id)
    WHERE status IN ('pending', 'retry_ready') AND channel IN ('live', 'bg')`,
  `CREATE INDEX executions_open ON executions (agent)
    WHERE channel <> 'inbox' AND status IN ('pending', 'delivering', 'retrying', 'retry_ready')`,
  `CREATE INDEX executions_offers ON executions (session_id) WHERE status = 'pending' AND channel = 'live'`,
  `CREATE INDEX executions_worker ON executions (owner_id, claimed_by) WHERE status = 'delivering'`,
  // One row is the outcome: whoever inserts it was first.
  `CREATE TABLE execution_outcomes (
    execution_id text PRIMARY KEY,
    success integer NOT NULL,
    result text,
    error text,
    metadata text NOT NULL,
    recorded_by text NOT NULL,
    recorded_at bigint NOT NULL,
    executed_via text,
    executed_via_reported text,
    route text,
    external_id text,
    result_url text,
    result_ref text,
    result_type text,
    summary text,
    artifacts text,
    assertions text,
    state text
  )`,
];

export const WEBHOOK_TABLES: readonly string[] = [
  // Stored with its cause, gone when it is over. `ref`: the message, execution, alert or subscription behind it. The body
  // is made when it is sent and the secret read then; only what cannot be made again is kept. `due_at`: when it is to be
  // sent, or while it is being sent, when that attempt counts as cut short.
  `CREATE TABLE webhook_deliveries (
    id text PRIMARY KEY,
    owner_id text NOT NULL,
    kind text NOT NULL,
    ref text NOT NULL,
    execution_id text,
    body text,
    state text NOT NULL,
    attempts integer NOT NULL,
    due_at bigint NOT NULL,
    created_at bigint NOT NULL
  )`,
  `CREATE INDEX webhook_deliveries_owner ON webhook_deliveries (owner_id, due_at, id)`,
  `CREATE TABLE delivery_attempts (
    execution_id text NOT NULL,
    attempt integer NOT NULL,
    at bigint NOT NULL,
    status integer,
    error_type text,
    latency_ms integer,
    PRIMARY KEY (execution_id, attempt)
  )`,
];
