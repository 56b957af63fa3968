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
