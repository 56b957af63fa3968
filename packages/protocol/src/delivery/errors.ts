/** The error catalogue of the delivery protocol: code → status and the message used when a thrower has no better one. */
export interface DeliveryErrorRow {
  readonly status: number;
  readonly message: string;
}

const row = (status: number, message: string): DeliveryErrorRow => ({ status, message });

export const DELIVERY_ERRORS = {
  invalid_json: row(400, 'the request body is not JSON'),
  invalid_agent_address: row(400, 'an agent is named by id, as slug@owner or by slug'),
  reserved_slug: row(400, 'this slug is reserved'),
  invalid_callback_url: row(400, 'this callback URL is not allowed'),
  invalid_webhook_url: row(400, 'this webhook URL is not allowed'),
  invalid_alert_webhook_url: row(400, 'this alert webhook URL is not allowed'),
  invalid_schedule: row(400, 'the schedule is not valid'),
  invalid_payload: row(400, 'the payload is not valid'),
  invalid_payload_size: row(400, 'the payload is too large'),
  invalid_status: row(400, 'the status is not one of the known ones'),
  invalid_state_filter: row(400, 'the state filter is not valid'),
  invalid_filter: row(400, 'the filter is not valid'),
  conflicting_filters: row(400, 'the filters contradict each other'),
  invalid_status_in: row(400, 'status_in holds an unknown status'),
  invalid_idempotency_key: row(400, 'the idempotency key is not valid'),
  metadata_too_large: row(400, 'the metadata is too large'),
  missing_from_agent: row(400, 'the sending agent is missing'),
  from_agent_deleted: row(400, 'the sending agent was deleted'),
  confirmation_required: row(
    400,
    'this cannot be undone; repeat it with the header X-Confirm-Destructive: true',
  ),
  no_mutable_fields: row(400, 'nothing in the request can be changed'),
  invalid_default_flip: row(400, 'this default cannot be changed so'),
  unknown_event_type: row(400, 'there is no such event type'),
  invalid_delivery_target: row(400, 'the delivery target is not valid'),
  exec_id_mismatch: row(400, 'the body names another execution than the path'),
  payload_override_required: row(400, 'a payload override is required'),
  missing_required_payload_keys: row(400, 'the payload lacks required keys'),
  invalid_device_code: row(400, 'the device code is not valid'),
  device_code_expired: row(400, 'the device code has expired'),
  invalid_token: row(400, 'the token is not valid'),
  invalid_api_key: row(401, 'the API key is missing or not valid'),
  key_rotated: row(401, 'this API key was replaced by a newer one'),
  invalid_session: row(401, 'the session is not valid'),
  session_expired: row(401, 'the session has expired'),
  user_not_found: row(401, 'there is no such owner'),
  quota_exceeded: row(402, 'the quota is used up'),
  cue_limit_exceeded: row(403, 'there are as many active cues as the plan allows'),
  from_agent_not_owned: row(403, 'the sending agent belongs to another owner'),
  cross_tenant_messaging_forbidden: row(403, 'the recipient takes no messages from other owners'),
  not_execution_owner: row(403, 'the execution belongs to another owner'),
  not_recipient: row(403, 'the message is addressed to another agent'),
  owner_key_required: row(403, 'this needs an owner-wide key (cue_sk_…); yours acts for one agent'),
  missing_scope: row(403, 'the key lacks a scope'),
  invite_required: row(403, 'registration needs a valid, unused invite code'),
  origin_not_allowed: row(403, 'pages of this origin may do this only with a credential'),
  operator_only: row(403, 'this is for whoever runs the server'),
  owner_not_named: row(
    403,
    'say in X-Parley-Owner for whom; an operator acts for owners, and only as far as the server allows',
  ),
  agent_not_found: row(404, 'there is no such agent'),
  message_not_found: row(404, 'there is no such message'),
  cue_not_found: row(404, 'there is no such cue'),
  execution_not_found: row(404, 'there is no such execution'),
  live_session_not_found: row(404, 'there is no such live session'),
  worker_not_found: row(404, 'there is no such worker'),
  reply_to_not_found: row(404, 'there is no message to reply to'),
  no_webhook_secret: row(404, 'there is no webhook secret'),
  subscription_not_found: row(404, 'there is no such subscription'),
  alert_not_found: row(404, 'there is no such alert'),
  key_not_found: row(404, 'there is no such key'),
  not_found: row(404, 'there is no such resource'),
  http_error: row(404, 'nothing is served at this path'),
  slug_taken: row(409, 'this slug is taken'),
  slug_locked: row(409, 'the owner slug can be changed only once'),
  no_webhook_url: row(409, 'there is no webhook URL'),
  live_session_conflict: row(409, 'the live session is held by another'),
  already_attested: row(409, 'the execution was attested by another session'),
  live_claim_window_closed: row(409, 'the time to claim has passed'),
  claim_failed: row(409, 'the execution cannot be claimed'),
  execution_not_claiming: row(409, 'the execution is not being claimed'),
  outcome_already_recorded: row(409, 'the outcome was already reported'),
  invalid_state: row(409, 'the state does not allow this'),
  no_outcome: row(409, 'there is no outcome yet'),
  execution_in_flight: row(409, 'the execution is under way'),
  idempotency_key_conflict: row(409, 'this idempotency key was used with another body'),
  loop_guard_tripped: row(
    409,
    'these agents answer each other without a person or a cue in between; resume the thread',
  ),
  invalid_state_transition: row(409, 'this change of state is not possible'),
  duplicate_cue_name: row(409, 'there is already a cue of this name'),
  duplicate_email: row(409, 'this email address is already registered'),
  subscription_exists: row(409, 'there is already such a subscription'),
  device_code_exists: row(409, 'this device code is in use'),
  plaintext_unavailable: row(410, 'the key was already shown and is not kept'),
  request_too_large: row(413, 'the request body is larger than 1 MiB'),
  misdirected_request: row(421, 'the server does not answer to this host'),
  validation_error: row(422, 'the request is not valid'),
  invalid_timezone: row(422, 'there is no such time zone'),
  no_fields: row(422, 'nothing to change was given'),
  preferred_contact_not_in_capabilities: row(422, 'preferred_contact must be one of the capabilities'),
  work_style_conflict: row(422, 'work_style and preferred_contact contradict each other'),
  invalid_parent_agent: row(422, 'this agent cannot be the parent'),
  rate_limit_exceeded: row(429, 'too many requests'),
  priority_high_rate_limit: row(429, 'too many messages of high priority'),
  inbound_rate_limit: row(429, 'the recipient gets too many messages'),
  internal_error: row(500, 'the server failed'),
  service_unavailable: row(503, 'the database does not answer; nothing was done, so try again'),
  insufficient_storage: row(507, 'the server has no room for more'),
} as const satisfies Record<string, DeliveryErrorRow>;

export type DeliveryErrorCode = keyof typeof DELIVERY_ERRORS;

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export interface DeliveryErrorEnvelope {
  readonly code: DeliveryErrorCode;
  readonly message: string;
  readonly status: number;
  readonly details?: readonly FieldProblem[];
}

/** `detail.error` repeats the envelope for the clients that read only there. */
export interface DeliveryErrorBody {
  readonly error: DeliveryErrorEnvelope;
  readonly detail: { readonly error: DeliveryErrorEnvelope };
}
