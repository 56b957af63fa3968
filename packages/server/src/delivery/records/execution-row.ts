import type {
  AttestationKind,
  Channel,
  DeliveryMode,
  DeliveryRoute,
  ExecutionSource,
  ExecutionStatus,
  LiveFallbackMode,
  LiveUnclaimedReason,
  OutcomeRecorder,
  OutcomeState,
  Trigger,
} from '@parley/protocol/delivery/vocabulary';

/** An execution as it is stored. Payload and trace are JSON text, flags are 0 or 1. */
export interface ExecutionRow {
  readonly id: string;
  /** Who may claim and report: the owner of the cue, or of the recipient. */
  readonly owner_id: string;
  readonly sender_owner: string | null;
  readonly source: ExecutionSource;
  readonly cue_id: string;
  readonly message_id: string | null;
  readonly agent: string | null;
  readonly session_id: string | null;
  readonly task: string | null;
  readonly status: ExecutionStatus;
  readonly triggered_by: Trigger;
  /** Null for a message: it is made from the message when it is read. */
  readonly payload: string | null;
  readonly delivery_mode: DeliveryMode | null;
  readonly live_fallback_mode: LiveFallbackMode | null;
  /** Null until it is due and routed. */
  readonly channel: Channel | null;
  readonly route: DeliveryRoute | null;
  readonly held: number;
  readonly via_parent: number;
  readonly beat_age_ms: number | null;
  readonly scheduled_for: number;
  readonly live_deadline_at: number | null;
  readonly live_claimed_at: number | null;
  readonly live_token_hash: string | null;
  readonly live_attestation: AttestationKind | null;
  readonly live_unclaimed_reason: LiveUnclaimedReason | null;
  readonly attempts: number;
  readonly claimed_by: string | null;
  readonly claimed_at: number | null;
  readonly lease_expires_at: number | null;
  readonly last_heartbeat_at: number | null;
  readonly started_at: number | null;
  readonly delivered_at: number | null;
  readonly last_attempt_at: number | null;
  readonly next_retry_at: number | null;
  readonly http_status: number | null;
  readonly response_body: string | null;
  readonly error_message: string | null;
  readonly executed_via: string | null;
  readonly outcome_success: number | null;
  readonly outcome_state: OutcomeState | null;
  readonly result_type: string | null;
  readonly has_evidence: number;
  readonly chain_parent_id: string | null;
  readonly chain_depth: number;
  readonly replayed_from: string | null;
  readonly trace: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Everything that may change by the way. The status does so by events only. */
export type ExecutionPatch = Partial<
  Omit<ExecutionRow, 'id' | 'owner_id' | 'sender_owner' | 'source' | 'message_id' | 'created_at' | 'status'>
>;

/** Metadata, artifacts and assertions are JSON text. */
export interface OutcomeRow {
  readonly execution_id: string;
  readonly success: number;
  readonly result: string | null;
  readonly error: string | null;
  readonly metadata: string;
  readonly recorded_by: OutcomeRecorder;
  readonly recorded_at: number;
  readonly executed_via: string | null;
  readonly executed_via_reported: string | null;
  readonly route: DeliveryRoute | null;
  readonly external_id: string | null;
  readonly result_url: string | null;
  readonly result_ref: string | null;
  readonly result_type: string | null;
  readonly summary: string | null;
  readonly artifacts: string | null;
  readonly assertions: string | null;
  readonly state: OutcomeState | null;
}
