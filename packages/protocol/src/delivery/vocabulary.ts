/** The words of the delivery protocol. Schemas, state tables and answers all take them from here. */

/** The ways to an agent. The order is the one `auto` tries them in. */
export const CHANNELS = ['live', 'bg', 'webhook', 'inbox'] as const;
export type Channel = (typeof CHANNELS)[number];

export const DELIVERY_MODES = ['live', 'bg', 'inbox', 'webhook', 'auto'] as const;
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

export const LIVE_FALLBACK_MODES = ['background', 'none', 'live_only'] as const;
export type LiveFallbackMode = (typeof LIVE_FALLBACK_MODES)[number];
/** What clients may write; the server stores and shows the canonical word. */
export const LIVE_FALLBACK_SPELLINGS = [...LIVE_FALLBACK_MODES, 'fallback_to_background'] as const;

/** How the channel was reached. */
export const DELIVERY_ROUTE_NAMES = [
  'live',
  'live_unverified',
  'background_direct',
  'background_fallback',
  'inbox_direct',
  'inbox_fallback',
  'webhook_direct',
  'webhook_fallback',
] as const;
export type DeliveryRoute = (typeof DELIVERY_ROUTE_NAMES)[number];

export const DELIVERY_WARNINGS = [
  'inbox_not_declared',
  'bg_handler_stale',
  'hostname did not resolve',
] as const;
export type DeliveryWarning = (typeof DELIVERY_WARNINGS)[number];

export const WORK_STYLES = ['sync', 'async'] as const;
export type WorkStyle = (typeof WORK_STYLES)[number];

export const AGENT_STATUSES = ['online', 'offline', 'away'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export const INBOUND_POLICIES = ['anyone', 'allowlist', 'owner_only'] as const;
export type InboundPolicy = (typeof INBOUND_POLICIES)[number];

export const LIVE_ATTESTATIONS = ['hybrid', 'strict', 'grace'] as const;
export type LiveAttestation = (typeof LIVE_ATTESTATIONS)[number];

/** What made a live-claim good: a grace period, the session's token or task name, or its signature as well. */
export const ATTESTATION_KINDS = ['grace', 'task_name', 'token', 'proof'] as const;
export type AttestationKind = (typeof ATTESTATION_KINDS)[number];

export const LIVE_UNCLAIMED_REASONS = [
  'no_session',
  'heartbeat_stale',
  'capability_missing',
  'claim_window_elapsed',
  'session_detached',
] as const;
export type LiveUnclaimedReason = (typeof LIVE_UNCLAIMED_REASONS)[number];

export const MESSAGE_STATES = [
  'queued',
  'delivering',
  'retry_ready',
  'claimed',
  'delivered',
  'read',
  'failed',
  'acked',
  'expired',
] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** Nobody has the message yet, and nobody is at work on it: it can be taken back. */
export const STILL_HERE: ReadonlySet<MessageState> = new Set(['queued', 'retry_ready']);

export const EXECUTION_STATUSES = [
  'pending',
  'delivering',
  'retrying',
  'retry_ready',
  'pending_outcome',
  'success',
  'failed',
  'missed',
  'outcome_timeout',
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const EXECUTION_SOURCES = ['cue', 'message'] as const;
export type ExecutionSource = (typeof EXECUTION_SOURCES)[number];

export const TRIGGERS = ['scheduled', 'manual_fire', 'chain', 'replay', 'message'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Nobody took a live offer in its time, and nobody else may have it. */
export const NO_FALLBACK = 'live_unclaimed_no_fallback';
/** Nobody took a live offer for as long as there was something to offer. */
export const UNCLAIMED_EXPIRED = 'live_unclaimed_expired';
export const LIVE_UNCLAIMED_OUTCOMES = [NO_FALLBACK, UNCLAIMED_EXPIRED] as const;
export type LiveUnclaimedOutcome = (typeof LIVE_UNCLAIMED_OUTCOMES)[number];

export const OUTCOME_STATES = [
  'verification_pending',
  'reported_success',
  'reported_failure',
  'verified_success',
  'verification_failed',
  'unknown',
  ...LIVE_UNCLAIMED_OUTCOMES,
] as const;
export type OutcomeState = (typeof OUTCOME_STATES)[number];

export const OUTCOME_RECORDERS = ['handler', 'response', 'server'] as const;
export type OutcomeRecorder = (typeof OUTCOME_RECORDERS)[number];

export const VERIFICATION_MODES = [
  'none',
  'require_external_id',
  'require_result_url',
  'require_artifacts',
  'manual',
] as const;
export type VerificationMode = (typeof VERIFICATION_MODES)[number];

export const BEAT_STATES = ['unknown', 'fresh', 'stale'] as const;
export type BeatState = (typeof BEAT_STATES)[number];

export const WORKER_STATUSES = ['active', 'stale', 'dead'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

/** How far a message provably came. */
export const PROVEN_STAGES = ['stored', 'offered', 'delivered', 'invoked', 'claimed', 'acked'] as const;
export type ProvenStage = (typeof PROVEN_STAGES)[number];

/** What wakes an agent. */
export const WAKE_KINDS = ['message', 'cue', 'room', 'handoff'] as const;
export type WakeKind = (typeof WAKE_KINDS)[number];

/** How far a bridge says that a wake came. */
export const WAKE_STAGES = ['delivered', 'invoked', 'resumed'] as const;

/** Why an attempt on a webhook did not count as delivered. */
export const ATTEMPT_ERRORS = [
  'request_timeout',
  'rate_limited',
  'service_unavailable',
  'bad_gateway',
  'server_error',
  'timeout',
  'connection_refused',
  'dns_resolution_failed',
  'tls_handshake_failed',
  'network',
  'auth_failed',
  'endpoint_missing',
  'method_not_allowed',
  'client_error',
  'ssrf_blocked',
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

export const CUE_STATUSES = ['active', 'paused', 'completed', 'failed'] as const;
export type CueStatus = (typeof CUE_STATUSES)[number];

export const SCHEDULE_TYPES = ['recurring', 'once'] as const;
export type ScheduleType = (typeof SCHEDULE_TYPES)[number];

/** How a fire of a cue without an agent leaves: posted to its callback, or fetched by a worker. */
export const CUE_TRANSPORTS = ['webhook', 'worker'] as const;
export type CueTransport = (typeof CUE_TRANSPORTS)[number];

/** What becomes of the times that passed while nobody could fire. */
export const CATCH_UPS = ['run_once_if_missed', 'skip_missed', 'replay_all_missed'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];
/** What clients may write; the server stores and shows the canonical word. */
export const CATCH_UP_SPELLINGS = [...CATCH_UPS, 'replay_all'] as const;

/** What a recurring cue does when its time comes while the run before is not over. */
export const OVERLAPS = ['allow', 'skip', 'queue'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** What a wake may carry beside its own payload. */
export const ATTACHMENTS = ['startup'] as const;
export type Attachment = (typeof ATTACHMENTS)[number];

export const CALLBACK_METHODS = ['POST', 'GET', 'PUT', 'PATCH'] as const;

export const MERGE_STRATEGIES = ['merge', 'replace'] as const;
/** What an agent can be told of. `message.read`, `message.acked` and `message.failed` go to the sender of the message. */
export const EVENT_TYPES = [
  'message.delivered',
  'message.digest',
  'message.read',
  'message.acked',
  'message.failed',
  'turn.pass',
  'execution.offered',
  'execution.outcome',
  'agent.live_session.attached',
  'agent.live_session.detached',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Read by the agent itself, or posted to an endpoint. */
export const EVENT_TARGETS = ['pull', 'webhook'] as const;
export type EventTarget = (typeof EVENT_TARGETS)[number];

/** Why somebody should look at a cue. */
export const ALERT_TYPES = [
  'consecutive_failures',
  'verification_failed',
  'outcome_timeout',
  'missed_window',
  'live_unclaimed',
] as const;
export type AlertType = (typeof ALERT_TYPES)[number];

export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];
