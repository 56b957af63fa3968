/** The error catalogue of the channel protocol: code → status and a hint for whoever has to act on it. */
export const CHANNEL_ERRORS = {
  invalid_json: { status: 400, hint: 'The request body is missing or is not JSON.' },
  missing_token_or_name: { status: 400, hint: 'A join needs "token" and "name".' },
  missing_token_participant_id_or_text: {
    status: 400,
    hint: 'A send needs "token", "participant_id" and "text".',
  },
  missing_token_or_participant_id: { status: 400, hint: 'A leave needs "token" and "participant_id".' },
  missing_or_invalid_query: {
    status: 400,
    hint: 'A poll needs "token" and "participant_id"; "since" is a number from 0.',
  },
  invalid_name: {
    status: 400,
    hint: 'A name has 1 to 64 characters, none of them control, invisible or outer white space.',
  },
  name_taken: { status: 400, hint: 'Somebody here has this name or one that looks like it. Pick another.' },
  channel_full: { status: 400, hint: 'The channel has no free place.' },
  participant_not_in_channel: { status: 400, hint: 'This participant has left. Join again.' },
  empty_text: { status: 400, hint: '"text" must be a string that is not empty.' },
  text_too_large: { status: 400, hint: '"text" has at most 65536 characters.' },
  invalid_channel_or_token: {
    status: 400,
    hint: 'Channel id and token are hexadecimal. The link may be incomplete.',
  },
  invalid_host: { status: 400, hint: 'The Host header or the forwarded scheme is malformed.' },
  channel_or_token_invalid: {
    status: 404,
    hint: 'There is no such channel, or the token is not its token, or it has ended. Do not retry.',
  },
  channel_hibernating: { status: 404, hint: 'The channel is asleep. Join again to wake it.' },
  not_found: { status: 404, hint: 'Nothing is served here. GET /llms.txt says what is.' },
  method_not_allowed: { status: 405, hint: 'The Allow header names the methods of this path.' },
  body_too_large: { status: 413, hint: 'A request body has at most 256 KiB.' },
  rate_limited: { status: 429, hint: 'Too many requests. Wait for Retry-After.' },
  concurrent_channels_limit: { status: 429, hint: 'Too many live channels. Let one end first.' },
  internal_error: { status: 500, hint: 'The server failed. Quote the request_id when you report it.' },
  service_unavailable: {
    status: 503,
    hint: 'What the channels of several nodes are kept in cannot be reached. Wait for Retry-After.',
  },
} as const;

export type ChannelErrorCode = keyof typeof CHANNEL_ERRORS;

export function isChannelErrorCode(code: string): code is ChannelErrorCode {
  return Object.hasOwn(CHANNEL_ERRORS, code);
}

export const EVICTION_REASONS = [
  'evicted_empty',
  'evicted_idle',
  'evicted_max_lifetime',
  'evicted_max_messages',
  'evicted_max_bytes',
  'evicted_hibernate_expired',
] as const;

export type EvictionReason = (typeof EVICTION_REASONS)[number];
