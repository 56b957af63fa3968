/** What people look at across agents: the newest first, of everybody or of one owner, and what went wrong. */
export const LATELY: readonly string[] = [
  `CREATE INDEX messages_lately ON messages (created_at DESC, id DESC)`,
  `CREATE INDEX messages_of_owner ON messages (recipient_owner, created_at DESC, id DESC)`,
  `CREATE INDEX messages_abroad ON messages (sender_owner, created_at DESC, id DESC)
    WHERE sender_owner <> recipient_owner`,
  `CREATE INDEX messages_failed ON messages (failed_at DESC) WHERE state = 'failed'`,
  `CREATE INDEX message_threads_tripped ON message_threads (tripped_at DESC) WHERE tripped_at IS NOT NULL`,
  `CREATE INDEX executions_lately ON executions (created_at DESC, id DESC, source)`,
  `CREATE INDEX executions_wrong ON executions (updated_at DESC)
    WHERE source = 'cue' AND status IN ('failed', 'missed', 'outcome_timeout')`,
  `CREATE INDEX executions_leased ON executions (lease_expires_at) WHERE lease_expires_at IS NOT NULL`,
  `CREATE INDEX agent_delivery_lately ON agent_delivery (created_at DESC, agent DESC) WHERE deleted_at IS NULL`,
  `CREATE INDEX agent_delivery_seen ON agent_delivery (last_seen_at DESC)
    WHERE deleted_at IS NULL AND last_seen_at IS NOT NULL`,
  `CREATE INDEX live_sessions_attached ON live_sessions (attached_at DESC) WHERE detached_at IS NULL`,
];

/** What was run again, and what comes next. */
export const AGAIN_AND_NEXT: readonly string[] = [
  `CREATE INDEX executions_replays ON executions (replayed_from) WHERE replayed_from IS NOT NULL`,
  `CREATE INDEX cues_coming ON cues (next_run) WHERE next_run IS NOT NULL`,
];

/**
 * The newest of each state, for a state that is rare must be found as soon as one that is common. They take the place of indexes
 * without the state, of which a page or a count is put together state by state, so that no message is written to one more.
 */
export const BY_STATE: readonly string[] = [
  `DROP INDEX messages_lately`,
  `DROP INDEX messages_of_owner`,
  `DROP INDEX messages_abroad`,
  `CREATE INDEX messages_by_state ON messages (state, created_at DESC, id DESC)`,
  `CREATE INDEX messages_of_owner_by_state ON messages (recipient_owner, state, created_at DESC, id DESC)`,
  `CREATE INDEX messages_abroad_by_state ON messages (sender_owner, state, created_at DESC, id DESC)
    WHERE sender_owner <> recipient_owner`,
  `DROP INDEX executions_lately`,
  `DROP INDEX executions_owner`,
  `CREATE INDEX executions_by_status ON executions (source, status, created_at DESC, id DESC)`,
  `CREATE INDEX executions_of_owner_by_status ON executions (owner_id, source, status, created_at DESC, id DESC)`,
];

/** Cues of everybody, each state newest first, for those who look after the server. */
export const CUES_LATELY: readonly string[] = [
  `CREATE INDEX cues_by_status ON cues (status, created_at DESC, id DESC)`,
];

/**
 * What went wrong, of all and of one owner, and an owner's endpoints: only the rows that are meant stand in them. They begin with
 * what the indexes by state begin with, or SQLite would take one of those and sort.
 */
export const WRONG_OF_OWNER: readonly string[] = [
  `DROP INDEX messages_failed`,
  `CREATE INDEX messages_failed ON messages (state, failed_at DESC) WHERE state = 'failed'`,
  `CREATE INDEX messages_failed_of_owner ON messages (recipient_owner, state, failed_at DESC) WHERE state = 'failed'`,
  `CREATE INDEX messages_failed_abroad ON messages (sender_owner, state, failed_at DESC)
    WHERE state = 'failed' AND sender_owner <> recipient_owner`,
  `DROP INDEX executions_wrong`,
  `CREATE INDEX executions_wrong ON executions (source, updated_at DESC)
    WHERE source = 'cue' AND status IN ('failed', 'missed', 'outcome_timeout')`,
  `CREATE INDEX executions_wrong_of_owner ON executions (owner_id, source, updated_at DESC)
    WHERE source = 'cue' AND status IN ('failed', 'missed', 'outcome_timeout')`,
  `CREATE INDEX agent_delivery_webhooks_of_owner ON agent_delivery (owner_id, created_at)
    WHERE webhook_url IS NOT NULL AND deleted_at IS NULL`,
];
