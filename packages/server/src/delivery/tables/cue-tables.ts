/** What a run takes up beside its payload. */
export const RUN_OVERHEAD_BYTES = 1024;

/** Cues and what is remembered of their fires. */
export const CUE_TABLES: readonly string[] = [
  // `agent`: the one it is for, by suffix. `next_run` null: paused, over, or fired and not to fire again. `executions`: how
  // many there are, so that no page counts them. Config objects are JSON text; null where there is none.
  `CREATE TABLE cues (
    id text PRIMARY KEY,
    owner_id text NOT NULL,
    name text NOT NULL,
    description text,
    status text NOT NULL,
    schedule_type text NOT NULL,
    cron text,
    at bigint,
    timezone text NOT NULL,
    transport text NOT NULL,
    callback text,
    agent text,
    delivery_mode text,
    live_fallback_mode text,
    payload text NOT NULL,
    retry text NOT NULL,
    on_failure text NOT NULL,
    verification text,
    delivery text,
    alerts text,
    catch_up text NOT NULL,
    on_success_fire text,
    require_payload_override integer NOT NULL,
    required_payload_keys text NOT NULL,
    overlap text NOT NULL,
    jitter_seconds integer NOT NULL,
    attach text,
    next_run bigint,
    last_run bigint,
    run_count integer NOT NULL,
    fired_count integer NOT NULL,
    skipped_count integer NOT NULL,
    executions integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
  )`,
  `CREATE UNIQUE INDEX cues_name ON cues (owner_id, name)`,
  `CREATE INDEX cues_owner ON cues (owner_id, created_at DESC, id DESC)`,
  `CREATE INDEX cues_status ON cues (owner_id, status, created_at DESC, id DESC)`,
  `CREATE TABLE cue_fire_keys (
    cue_id text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    execution_id text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (cue_id, key)
  )`,
  `CREATE INDEX cue_fire_keys_age ON cue_fire_keys (created_at)`,
  `ALTER TABLE executions ADD COLUMN target text`,
  `ALTER TABLE executions ADD COLUMN verification text`,
  `ALTER TABLE executions ADD COLUMN max_attempts integer`,
  `ALTER TABLE executions ADD COLUMN attach text`,
  // The runs of a cue that are not over, and what waits behind them.
  `CREATE INDEX executions_cue_open ON executions (cue_id, scheduled_for, id)
    WHERE source = 'cue' AND status IN ('pending', 'delivering', 'retrying', 'retry_ready', 'pending_outcome')`,
  // One success fires the next cue once.
  `CREATE UNIQUE INDEX executions_chain ON executions (chain_parent_id) WHERE triggered_by = 'chain'`,
];

/** What waits for an agent, for the stream that wakes it. */
export const CUE_WAKES: readonly string[] = [
  `CREATE INDEX executions_cue_waiting ON executions (agent, created_at, id)
    WHERE source = 'cue' AND status IN ('pending', 'retry_ready') AND channel IS NOT NULL`,
];

/** Runs of cues count to what an owner has stored; those there are, as of no month. */
export const RUN_BYTES: readonly string[] = [
  `INSERT INTO usage_months (owner_id, month, shard, messages, executions, bytes)
    SELECT owner_id, 0, 0, 0, 0, sum(COALESCE(octet_length(payload), 0) + ${RUN_OVERHEAD_BYTES}) FROM executions
    WHERE source = 'cue' GROUP BY owner_id
    ON CONFLICT (owner_id, month, shard) DO UPDATE SET bytes = usage_months.bytes + excluded.bytes`,
];
