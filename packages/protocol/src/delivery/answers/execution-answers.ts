import { z } from 'zod';
import { pageAnswer, time } from '../fields.ts';
import {
  ATTEMPT_ERRORS,
  ATTESTATION_KINDS,
  CHANNELS,
  DELIVERY_MODES,
  DELIVERY_ROUTE_NAMES,
  EXECUTION_SOURCES,
  EXECUTION_STATUSES,
  LIVE_FALLBACK_MODES,
  LIVE_UNCLAIMED_REASONS,
  OUTCOME_RECORDERS,
  OUTCOME_STATES,
  TRIGGERS,
  WORKER_STATUSES,
} from '../vocabulary.ts';

const json = z.record(z.string(), z.unknown());
const executionId = z.string();
const route = z.enum(DELIVERY_ROUTE_NAMES);
const outcomeState = z.enum(OUTCOME_STATES);

const traceEntry = z.object({
  at: time,
  step: z.string(),
  result: z.string(),
  reason: z.string().nullable(),
});

const evidence = {
  external_id: z.string().nullable(),
  result_url: z.string().nullable(),
  result_ref: z.string().nullable(),
  result_type: z.string().nullable(),
  summary: z.string().nullable(),
  artifacts: z.array(z.unknown()).nullable(),
};

export const outcome = z.object({
  success: z.boolean(),
  result: z.string().nullable(),
  error: z.string().nullable(),
  metadata: json,
  recorded_at: time,
  recorded_by: z.enum(OUTCOME_RECORDERS),
  executed_via: z.string().nullable(),
  executed_via_reported: z.string().nullable(),
  delivery_route: route.nullable(),
  ...evidence,
  assertions: json.nullable(),
  validation_state: outcomeState.nullable(),
});

export const execution = z.object({
  id: executionId,
  execution_id: executionId,
  source: z.enum(EXECUTION_SOURCES),
  cue_id: z.string(),
  message_id: z.string().nullable(),
  agent_id: z.string().nullable(),
  scheduled_for: time,
  status: z.enum(EXECUTION_STATUSES),
  triggered_by: z.enum(TRIGGERS),
  attempts: z.int(),
  http_status: z.int().nullable(),
  response_body: z.string().nullable(),
  next_retry: time.nullable(),
  error_message: z.string().nullable(),
  started_at: time.nullable(),
  delivered_at: time.nullable(),
  last_attempt_at: time.nullable(),
  claimed_by_worker: z.string().nullable(),
  claimed_at: time.nullable(),
  lease_expires_at: time.nullable(),
  last_heartbeat_at: time.nullable(),
  payload: json,
  delivery_mode: z.enum(DELIVERY_MODES).nullable(),
  live_fallback_mode: z.enum(LIVE_FALLBACK_MODES).nullable(),
  effective_delivery_mode: z.enum(CHANNELS).nullable(),
  delivery_route: route.nullable(),
  executed_via: z.string().nullable(),
  live_claim_deadline_at: time.nullable(),
  live_claimed_at: time.nullable(),
  live_unclaimed_reason: z.enum(LIVE_UNCLAIMED_REASONS).nullable(),
  outcome: outcome.nullable(),
  outcome_success: z.boolean().nullable(),
  outcome_state: outcomeState.nullable(),
  evidence_external_id: z.string().nullable(),
  evidence_result_url: z.string().nullable(),
  evidence_result_ref: z.string().nullable(),
  evidence_result_type: z.string().nullable(),
  evidence_summary: z.string().nullable(),
  evidence_artifacts: z.array(z.unknown()).nullable(),
  chain_parent_id: z.string().nullable(),
  chain_depth: z.int(),
  replayed_from: z.string().nullable(),
  routing_trace: z.array(traceEntry),
  created_at: time,
  updated_at: time,
});

export const executionList = z.object({
  executions: z.array(execution),
  ...pageAnswer,
  has_more: z.boolean(),
  oldest_claimed_at: time.nullable(),
});

export const claimable = z.object({
  executions: z.array(
    z.object({
      execution_id: executionId,
      cue_id: z.string(),
      cue_name: z.string().nullable(),
      task: z.string().nullable(),
      scheduled_for: time,
      payload: json,
      attempt: z.int(),
      agent_id: z.string().nullable(),
      message_id: z.string().nullable(),
      delivery_mode: z.enum(DELIVERY_MODES).nullable(),
      effective_delivery_mode: z.enum(CHANNELS).nullable(),
      delivery_route: route.nullable(),
      live_claim_deadline_at: time.nullable(),
    }),
  ),
});

export const claimed = z.object({
  claimed: z.literal(true),
  execution_id: executionId,
  lease_seconds: z.number(),
  lease_expires_at: time,
  payload: json,
});

export const leaseExtended = z.object({
  execution_id: executionId,
  lease_extended_until: time,
  acknowledged: z.literal(true),
});

export const liveClaimed = z.object({
  attested: z.boolean(),
  execution_id: executionId,
  live_claimed_at: time.nullable(),
  label: z.string().nullable(),
  reason: z.string().nullable(),
  attestation: z.enum(ATTESTATION_KINDS).nullable(),
});

export const outcomeRecorded = z.object({
  execution_id: executionId,
  outcome_recorded: z.literal(true),
  outcome_state: outcomeState.nullable(),
  executed_via: z.string().nullable(),
  delivery_route: route.nullable(),
  reason: z.string().nullable(),
});

export const evidenceUpdated = z.object({
  execution_id: executionId,
  outcome_state: outcomeState.nullable(),
  evidence_updated: z.literal(true),
});

export const verified = z.object({
  execution_id: executionId,
  outcome_state: outcomeState,
  valid: z.boolean(),
  reason: z.string().nullable(),
});
export const markedPending = z.object({ execution_id: executionId, outcome_state: outcomeState });

export const replayed = z.object({
  id: executionId,
  execution_id: executionId,
  cue_id: z.string(),
  scheduled_for: time,
  status: z.literal('pending'),
  triggered_by: z.literal('replay'),
  replayed_from: executionId,
});

export const attempts = z.object({
  attempts: z.array(
    z.object({
      attempt: z.int(),
      at: time,
      status: z.int().nullable(),
      error_type: z.enum(ATTEMPT_ERRORS).nullable(),
      latency_ms: z.int().nullable(),
    }),
  ),
});

export const workers = z.object({
  workers: z.array(
    z.object({
      worker_id: z.string(),
      handlers: z.array(z.string()),
      last_heartbeat: time,
      seconds_since_heartbeat: z.int(),
      heartbeat_status: z.enum(WORKER_STATUSES),
      registered_since: time,
    }),
  ),
  total: z.int(),
});
