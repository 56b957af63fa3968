import type {
  Attachment,
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
import { column, type RowOf, table } from '../../platform/database/table.ts';

/** An execution as it is stored. Payload and trace are JSON text, flags are 0 or 1. */
export const executionTable = table('executions', {
  id: column<string>(),
  /** Who may claim and report: the owner of the cue, or of the recipient. */
  owner_id: column<string>(),
  sender_owner: column<string | null>(),
  source: column<ExecutionSource>(),
  cue_id: column<string>(),
  message_id: column<string | null>(),
  agent: column<string | null>(),
  /** Of a cue: the agent it is for, also when the parent of that one takes it. */
  target: column<string | null>(),
  session_id: column<string | null>(),
  task: column<string | null>(),
  status: column<ExecutionStatus>(),
  triggered_by: column<Trigger>(),
  /** Null for a message: it is made from the message when it is read. */
  payload: column<string | null>(),
  delivery_mode: column<DeliveryMode | null>(),
  live_fallback_mode: column<LiveFallbackMode | null>(),
  /** Null until it is due and routed. */
  channel: column<Channel | null>(),
  route: column<DeliveryRoute | null>(),
  held: column<number>(),
  via_parent: column<number>(),
  beat_age_ms: column<number | null>(),
  scheduled_for: column<number>(),
  live_deadline_at: column<number | null>(),
  live_claimed_at: column<number | null>(),
  live_token_hash: column<string | null>(),
  live_attestation: column<AttestationKind | null>(),
  live_unclaimed_reason: column<LiveUnclaimedReason | null>(),
  attempts: column<number>(),
  claimed_by: column<string | null>(),
  claimed_at: column<number | null>(),
  lease_expires_at: column<number | null>(),
  last_heartbeat_at: column<number | null>(),
  started_at: column<number | null>(),
  delivered_at: column<number | null>(),
  last_attempt_at: column<number | null>(),
  next_retry_at: column<number | null>(),
  http_status: column<number | null>(),
  response_body: column<string | null>(),
  error_message: column<string | null>(),
  executed_via: column<string | null>(),
  outcome_success: column<number | null>(),
  outcome_state: column<OutcomeState | null>(),
  result_type: column<string | null>(),
  has_evidence: column<number>(),
  chain_parent_id: column<string | null>(),
  chain_depth: column<number>(),
  replayed_from: column<string | null>(),
  /** Of a cue: what its outcome has to show, as JSON text. */
  verification: column<string | null>(),
  /** Of a cue: how often it is claimed at most. */
  max_attempts: column<number | null>(),
  /** What whoever takes it is given beside the payload. */
  attach: column<Attachment | null>(),
  trace: column<string>(),
  created_at: column<number>(),
  updated_at: column<number>(),
});

export type ExecutionRow = RowOf<typeof executionTable>;

/** Everything that may change by the way. The status does so by events only. */
export type ExecutionPatch = Partial<
  Omit<ExecutionRow, 'id' | 'owner_id' | 'sender_owner' | 'source' | 'created_at' | 'status'>
>;

/** Metadata, artifacts and assertions are JSON text. */
export const outcomeTable = table('execution_outcomes', {
  execution_id: column<string>(),
  success: column<number>(),
  result: column<string | null>(),
  error: column<string | null>(),
  metadata: column<string>(),
  recorded_by: column<OutcomeRecorder>(),
  recorded_at: column<number>(),
  executed_via: column<string | null>(),
  executed_via_reported: column<string | null>(),
  route: column<DeliveryRoute | null>(),
  external_id: column<string | null>(),
  result_url: column<string | null>(),
  result_ref: column<string | null>(),
  result_type: column<string | null>(),
  summary: column<string | null>(),
  artifacts: column<string | null>(),
  assertions: column<string | null>(),
  state: column<OutcomeState | null>(),
});

export type OutcomeRow = RowOf<typeof outcomeTable>;
