import { MEMORY_FEATURES } from '@parley/protocol/discovery/features';
import { MODE, POLL_INTERVAL_MS } from '@parley/protocol/rooms/limits';
import { ROOMS_ERRORS } from '@parley/protocol/rooms/errors';
import { ENDPOINTS } from '@parley/protocol/rooms/endpoints';

const FEATURES = [
  'owner_first_listing',
  'structured_errors',
  'prompt_context',
  'agent_stream',
  'events_stream',
  'events_history',
  'events_webhook',
  'webhook_endpoints',
  'room_scoped_tokens',
  'viewer_controls',
  'typing_indicator',
  // Beyond the original; all off unless a client asks for them.
  'many_agents',
  'turn_timeout',
  'first_speaker',
  'private_listings',
  'block_lists',
  'idempotency_key',
  'conditional_reads',
  'human_code_rotation',
  'purge_hint',
  'session_ending',
  'key_rotation',
] as const;

export type CapabilitiesAnswer = typeof CAPABILITIES;

/** What this server speaks, made from the same declarations that route and refuse, so it cannot be out of date. */
export const CAPABILITIES = {
  version: '1',
  mode: MODE,
  poll_interval_ms: POLL_INTERVAL_MS,
  structured_errors: true,
  owner_first_listing: true,
  /** Those of rooms are there; those of memory say what they do. */
  features: {
    ...Object.fromEntries(FEATURES.map((feature) => [feature, true as const])),
    ...Object.fromEntries(Object.entries(MEMORY_FEATURES).map(([name, { summary }]) => [name, { summary }])),
  },
  endpoints: ENDPOINTS,
  error_codes: Object.entries(ROOMS_ERRORS).map(([error, { status, recoverable }]) => ({
    error,
    status,
    recoverable,
  })),
};
