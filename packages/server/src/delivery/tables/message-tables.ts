/** With a counterpart both the page and its total come from the index alone, state by state. */
export const MESSAGES_BY_PAIR: readonly string[] = [
  `DROP INDEX messages_pair`,
  `CREATE INDEX messages_pair_state
    ON messages (recipient, sender, state, created_at DESC, id DESC, queued_at)`,
];

/**
 * How far a message ever came. Of older ones it is made from what is left: a claim that was lost shows in an attempt that
 * no webhook made.
 */
export const PROVEN_STAGE: readonly string[] = [
  `ALTER TABLE messages ADD COLUMN proven_stage text NOT NULL DEFAULT 'stored'`,
  `UPDATE messages SET proven_stage = 'offered' WHERE queued_at IS NOT NULL AND EXISTS (
    SELECT 1 FROM executions e WHERE e.id = messages.execution_id AND e.held = 0
      AND (e.channel <> 'webhook' OR e.attempts > 0)
      AND NOT (e.channel = 'live' AND e.status = 'missed' AND e.live_unclaimed_reason IS NOT NULL
        AND e.live_unclaimed_reason NOT IN ('claim_window_elapsed', 'session_detached')))`,
  `UPDATE messages SET proven_stage = 'delivered' WHERE delivered_at IS NOT NULL`,
  `UPDATE messages SET proven_stage = 'claimed' WHERE read_at IS NOT NULL OR EXISTS (
    SELECT 1 FROM executions e WHERE e.id = messages.execution_id AND (e.claimed_at IS NOT NULL OR (e.attempts > 0
      AND NOT EXISTS (SELECT 1 FROM delivery_attempts d WHERE d.execution_id = e.id))))`,
  `UPDATE messages SET proven_stage = 'acked' WHERE acked_at IS NOT NULL`,
];

/** When a bridge first started the agent with it, and which. */
export const INVOKED: readonly string[] = [
  `ALTER TABLE messages ADD COLUMN invoked_at bigint`,
  `ALTER TABLE messages ADD COLUMN invoked_by text`,
];

/** What a message takes up beside its text: its row, its execution and their indexes. */
export const MESSAGE_OVERHEAD_BYTES = 1024;

/** Messages and what is counted about them. */
export const MESSAGE_TABLES: readonly string[] = [
  // `queued_at` null: not due yet, so neither routed nor shown to the recipient.
  `CREATE TABLE messages (
    id text PRIMARY KEY,
    sender_owner text NOT NULL,
    recipient_owner text NOT NULL,
    sender text NOT NULL,
    recipient text NOT NULL,
    thread_id text NOT NULL,
    reply_to text,
    reply_to_agent text,
    origin text NOT NULL,
    subject text,
    body text NOT NULL,
    metadata text NOT NULL,
    correlation_id text,
    idempotency_key text,
    expects_reply integer NOT NULL,
    priority integer NOT NULL,
    delivery_mode text NOT NULL,
    live_fallback_mode text NOT NULL,
    live_label text,
    execution_id text NOT NULL,
    state text NOT NULL,
    dispatch_error text,
    warning text,
    send_at bigint,
    created_at bigint NOT NULL,
    queued_at bigint,
    delivered_at bigint,
    read_at bigint,
    acked_at bigint,
    failed_at bigint,
    expires_at bigint NOT NULL,
    updated_at bigint NOT NULL
  )`,
  // The inbox as it is asked for by default, and by state.
  `CREATE INDEX messages_inbox ON messages (recipient, created_at DESC, id DESC)
    WHERE queued_at IS NOT NULL AND state NOT IN ('acked', 'expired')`,
  `CREATE INDEX messages_state ON messages (recipient, state, created_at DESC, id DESC) WHERE queued_at IS NOT NULL`,
  `CREATE INDEX messages_sent ON messages (sender, created_at DESC, id DESC)`,
  `CREATE INDEX messages_pair ON messages (recipient, sender, created_at DESC, id DESC)`,
  `CREATE INDEX messages_thread ON messages (thread_id, created_at, id)`,
  `CREATE INDEX messages_expiry ON messages (expires_at) WHERE state NOT IN ('acked', 'expired')`,
  `CREATE INDEX messages_over ON messages (updated_at) WHERE state IN ('acked', 'expired')`,
  // How many messages of an agent are in a state, so that no list counts its rows. `box` is inbox or sent, or
  // `executions` where the owner of them stands in for the agent. Where writers
  // run side by side they add to different shards, or they would wait for each other at every busy agent.
  `CREATE TABLE message_tallies (
    agent text NOT NULL,
    box text NOT NULL,
    state text NOT NULL,
    shard integer NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (agent, box, state, shard)
  )`,
  // What the loop guard counts, by thread and by pair of agents (the smaller suffix first).
  `CREATE TABLE message_threads (
    id text PRIMARY KEY,
    hops integer NOT NULL,
    last_sender text,
    tripped_at bigint,
    updated_at bigint NOT NULL
  )`,
  `CREATE TABLE agent_pairs (
    low text NOT NULL,
    high text NOT NULL,
    turns integer NOT NULL,
    last_sender text,
    window_started_at bigint NOT NULL,
    tripped_at bigint,
    PRIMARY KEY (low, high)
  )`,
  `CREATE INDEX agent_pairs_high ON agent_pairs (high)`,
  `CREATE TABLE message_idempotency (
    owner_id text NOT NULL,
    key text NOT NULL,
    message_id text NOT NULL,
    fingerprint text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (owner_id, key)
  )`,
  `CREATE INDEX message_idempotency_age ON message_idempotency (created_at)`,
  // `month`: the first day of a UTC month, in milliseconds.
  `CREATE TABLE usage_months (
    owner_id text NOT NULL,
    month bigint NOT NULL,
    shard integer NOT NULL,
    messages bigint NOT NULL,
    executions bigint NOT NULL,
    PRIMARY KEY (owner_id, month, shard)
  )`,
];

/**
 * What the messages of an owner take up, counted where each is counted anyway; `month` is 0 for those from before this column
 * and for what is taken off again.
 */
export const STORED_BYTES = [
  `ALTER TABLE usage_months ADD COLUMN bytes bigint NOT NULL DEFAULT 0`,
  `INSERT INTO usage_months (owner_id, month, shard, messages, executions, bytes)
    SELECT sender_owner, 0, 0, 0, 0, sum(octet_length(body) + ${MESSAGE_OVERHEAD_BYTES}) FROM messages GROUP BY sender_owner`,
];
