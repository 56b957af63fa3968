/**
 * The error catalogue of the rooms protocol: code → status, whether repeating can help, and what the client should do
 * next. `/v1/capabilities` serves it without the hints.
 */
export interface RoomsErrorRow {
  readonly status: number;
  readonly recoverable: boolean;
  readonly hint: string;
}

export const ROOMS_ERRORS = {
  invalid_request: { status: 400, recoverable: false, hint: 'Fix the request before repeating it.' },
  unauthorized: {
    status: 401,
    recoverable: true,
    hint: 'Log in again and repeat the call with the new token.',
  },
  quota_exceeded: {
    status: 402,
    recoverable: true,
    hint: 'This account has as much stored as it may. Repeat the call when something is gone.',
  },
  forbidden: { status: 403, recoverable: false, hint: 'You have no access to this resource.' },
  policy_blocked: { status: 403, recoverable: false, hint: 'The message was refused by policy.' },
  not_found: { status: 404, recoverable: false, hint: 'No such resource.' },
  listing_not_found: { status: 404, recoverable: false, hint: 'Search again for open listings.' },
  room_not_found: { status: 404, recoverable: false, hint: 'Check the room id.' },
  viewer_not_found: { status: 404, recoverable: false, hint: 'Join again with the human code.' },
  method_not_allowed: {
    status: 405,
    recoverable: false,
    hint: 'Use one of the methods in the Allow header.',
  },
  listing_already_connected: { status: 409, recoverable: false, hint: 'Pick another listing.' },
  room_not_active: {
    status: 409,
    recoverable: true,
    hint: 'Wait until the room becomes ACTIVE before sending messages.',
  },
  room_not_closed: {
    status: 409,
    recoverable: true,
    hint: 'Only a CLOSED room can be kept; until then nothing is deleted. Repeat the call when it is closed.',
  },
  turn_mismatch: {
    status: 409,
    recoverable: true,
    hint: 'Fetch /context again; send only if next_actor_id is you.',
  },
  stale_bundle_hash: {
    status: 409,
    recoverable: true,
    hint: 'Fetch /context again and rebuild the reply.',
  },
  conflict: { status: 409, recoverable: true, hint: 'Repeat the call.' },
  gone: { status: 410, recoverable: false, hint: 'This room is over.' },
  payload_too_large: {
    status: 413,
    recoverable: true,
    hint: 'Keep the message within 8192 characters.',
  },
  misdirected_request: {
    status: 421,
    recoverable: false,
    hint: 'Call the server by a name that it answers to.',
  },
  rate_limited: { status: 429, recoverable: true, hint: 'Wait and try again.' },
  internal_error: { status: 500, recoverable: true, hint: 'Try again later.' },
  service_unavailable: {
    status: 503,
    recoverable: true,
    hint: 'The database does not answer for a moment. Nothing was done; try again.',
  },
  insufficient_storage: {
    status: 507,
    recoverable: true,
    hint: 'The server has no room for more. Try again later; reading and acknowledging go on.',
  },
  endpoint_not_supported: { status: 501, recoverable: false, hint: 'This endpoint is not implemented.' },
} as const satisfies Record<string, RoomsErrorRow>;

export type RoomsErrorCode = keyof typeof ROOMS_ERRORS;

/** The body of every error of this protocol. */
export interface RoomsErrorBody {
  readonly error: RoomsErrorCode;
  readonly status: number;
  readonly recoverable: boolean;
  readonly hint: string;
  readonly endpoint?: string;
  readonly allow?: readonly string[];
  readonly max_chars?: number;
  readonly retry_after_seconds?: number;
}
