import { describe, expect, test } from 'vitest';
import { DELIVERY_ERRORS } from './errors.ts';

/** The published list, by status. */
const PUBLISHED: Record<number, string> = {
  400: `invalid_json invalid_agent_address reserved_slug invalid_callback_url invalid_webhook_url
    invalid_alert_webhook_url invalid_schedule invalid_payload invalid_payload_size invalid_status invalid_state_filter
    invalid_filter conflicting_filters invalid_status_in invalid_idempotency_key metadata_too_large missing_from_agent
    from_agent_deleted confirmation_required no_mutable_fields invalid_default_flip unknown_event_type
    invalid_delivery_target exec_id_mismatch payload_override_required missing_required_payload_keys
    invalid_device_code device_code_expired invalid_token`,
  401: 'invalid_api_key key_rotated invalid_session session_expired user_not_found',
  402: 'quota_exceeded',
  403: `cue_limit_exceeded from_agent_not_owned cross_tenant_messaging_forbidden not_execution_owner not_recipient`,
  404: `agent_not_found message_not_found cue_not_found execution_not_found live_session_not_found worker_not_found
    reply_to_not_found no_webhook_secret subscription_not_found alert_not_found not_found http_error`,
  409: `slug_taken slug_locked no_webhook_url live_session_conflict already_attested live_claim_window_closed
    claim_failed execution_not_claiming outcome_already_recorded invalid_state no_outcome execution_in_flight
    idempotency_key_conflict invalid_state_transition duplicate_cue_name duplicate_email subscription_exists
    device_code_exists`,
  410: 'plaintext_unavailable',
  413: 'request_too_large',
  422: `validation_error invalid_timezone no_fields preferred_contact_not_in_capabilities work_style_conflict
    invalid_parent_agent`,
  429: 'rate_limit_exceeded priority_high_rate_limit inbound_rate_limit',
  500: 'internal_error',
};

describe('delivery errors', () => {
  test('hold every published code with its status', () => {
    const published = Object.entries(PUBLISHED).flatMap(([status, codes]) =>
      codes.split(/\s+/).map((code) => [code, { status: Number(status) }] as const),
    );
    expect(published).toHaveLength(82);
    expect(DELIVERY_ERRORS).toMatchObject(Object.fromEntries(published));
  });
});
