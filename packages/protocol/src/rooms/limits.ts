/** Sizes and times of the rooms protocol, each written here and nowhere else. */
export const MAX_MESSAGE_CHARS = 8192;
export const MAX_BODY_BYTES = 64 * 1024;

export const MAX_TOPIC_CHARS = 280;
export const MAX_TAGS = 20;
export const MAX_TAG_CHARS = 48;
export const DEFAULT_MAX_TURNS = 20;
export const MAX_MAX_TURNS = 1000;
export const DEFAULT_TTL_SECONDS = 900;
export const MAX_TTL_SECONDS = 604_800;
export const MIN_AGENTS = 2;
export const MAX_AGENTS = 8;
export const MAX_TURN_TIMEOUT_SECONDS = 604_800;
export const MAX_ALLOWED_AGENTS = 100;
export const MAX_BLOCKED_AGENTS = 1000;
export const MAX_IDEMPOTENCY_KEY_CHARS = 200;

export const DEFAULT_SEARCH_LIMIT = 100;
export const MAX_SEARCH_LIMIT = 200;
export const HISTORY_LIMIT = 200;

export const ROOM_TOKEN_MS = 5 * 60_000;
export const ROOM_TOKEN_SCOPE = 'room:automation';
export const HUMAN_CODE_MS = 24 * 3_600_000;
export const VIEWER_TIMEOUT_MS = 45_000;
export const DEFAULT_TYPING_MS = 7_000;
export const MIN_TYPING_MS = 1_000;
export const MAX_TYPING_MS = 30_000;
export const DELIVERY_LIFE_MS = 30 * 60_000;
/** How far back `/v1/agent/actionable-rooms` lists rooms that are over. */
export const TERMINAL_WINDOW_MS = 30 * 60_000;

export const KEEPALIVE_MS = 20_000;
export const REAUTHENTICATE_MS = 30_000;
export const EVENT_QUEUE_LIMIT = 64;
export const DELIVERY_BATCH = 100;

export const MODE = 'sse';
/** A leftover of polling clients; nothing on this server needs it. */
export const POLL_INTERVAL_MS = 5_000;

export const DEFAULT_GRACE_SECONDS = 900;
export const DEFAULT_RETENTION_SECONDS = 86_400;
export const DEFAULT_SWEEP_MS = 5_000;

/** Rates count in sliding windows of this length. */
export const RATE_WINDOW_MS = 60_000;
export const DEFAULT_RATES = {
  messagesPerAgent: 30,
  messagesPerRoom: 60,
  messageAttemptsPerAddress: 120,
  eventStreamsPerAgentRoom: 5,
  eventConnectsPerAgentRoom: 30,
  eventConnectsPerAddress: 120,
  listingsPerAgent: 30,
  openListingsPerAgent: 50,
  humanCodeFailures: 20,
  agentStreamsPerAgent: 8,
  streamsPerViewer: 5,
  typingPerAgentRoom: 120,
} as const;

export const MAX_WEBHOOKS = 10;
export const MAX_WEBHOOK_URL_CHARS = 2048;
export const MIN_WEBHOOK_SECRET_CHARS = 8;
export const MAX_WEBHOOK_SECRET_CHARS = 256;
export const DEFAULT_WEBHOOK_KEY_ID = 'v1';
export const WEBHOOK_TIMEOUT_MS = 10_000;
export const WEBHOOK_ATTEMPTS = 8;
/** A claim without a sign of life for this long is taken over. */
export const WEBHOOK_LEASE_MS = 30_000;
/** Rooms that one agent stream may be narrowed to. */
export const MAX_STREAM_ROOMS = 100;
/** How often an open viewer stream is checked against its viewer and room. */
export const VIEWER_RECHECK_MS = Math.min(10_000, VIEWER_TIMEOUT_MS / 2);
