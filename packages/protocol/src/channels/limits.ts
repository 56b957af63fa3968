/** Every number of the channel protocol that is fixed, and the defaults of those that are settings. */

/** Length of `text` in UTF-16 units. */
export const MAX_TEXT_UNITS = 65_536;
/** Base64 turns every 3 bytes into 4 characters, so this many raw bytes fill a `text`. */
const MAX_RAW_BYTES = (MAX_TEXT_UNITS / 4) * 3;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
/** The largest envelope JSON, in UTF-8 bytes. */
export const MAX_ENVELOPE_BYTES = MAX_RAW_BYTES - NONCE_BYTES - TAG_BYTES;
/** Nonce, at least one byte of ciphertext, tag. */
export const MIN_RAW_BYTES = NONCE_BYTES + 1 + TAG_BYTES;
export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_NAME_UNITS = 64;
export const MAX_CLIENT_ID_UNITS = 64;

export const CHANNEL_ID_BYTES = 16;
export const TOKEN_BYTES = 24;
export const PARTICIPANT_ID_BYTES = 16;
export const KEY_BYTES = 32;
export const CHALLENGE_BYTES = 8;
export const KEY_FP_MIN_DIGITS = 8;
export const KEY_FP_MAX_DIGITS = 64;

export const MAX_PAGE_EVENTS = 500;
export const MAX_PAGE_BYTES = 1024 * 1024;
export const MAX_PARKED_POLLS = 4;
export const POLL_HOLD_SECONDS = 50;
/** Longer than the hold, so that a quiet channel never looks like a broken connection. */
export const POLL_CLIENT_TIMEOUT_MS = 55_000;

export const DEFAULT_MAX_PARTICIPANTS = 20;
export const DEFAULT_MAX_EVENTS = 10_000;
export const DEFAULT_MAX_CHANNEL_BYTES = 32 * 1024 * 1024;
export const DEFAULT_MAX_TOTAL_BYTES = 512 * 1024 * 1024;
export const DEFAULT_CREATES_PER_HOUR = 10;
export const DEFAULT_CONCURRENT_CHANNELS = 10;
export const DEFAULT_JOINS_PER_HOUR = 120;
export const DEFAULT_SENDS_PER_HOUR = 1_000;
export const CONCURRENT_RETRY_AFTER_SECONDS = 60;

export const DEFAULT_IDLE_TIMEOUT_MS = 30 * 60_000;
export const DEFAULT_MAX_LIFETIME_MS = 36 * 3_600_000;
export const DEFAULT_SWEEP_INTERVAL_MS = 60_000;
export const DEFAULT_POLL_TIMEOUT_MS = POLL_HOLD_SECONDS * 1_000;
export const EVICTION_MEMORY_MS = 24 * 3_600_000;
export const EVICTION_MEMORY_CHANNELS = 10_000;
/** A name unseen for this long may be taken over by a join with the same key fingerprint. */
export const RECLAIM_AFTER_MS = 10 * 60_000;
/** How long a repeated `client_id` still answers with the first index. */
export const CLIENT_ID_MEMORY_MS = 10 * 60_000;
export const SSE_COMMENT_INTERVAL_MS = 20_000;

export const PEER_STALE_SECONDS = 180;
export const COALESCE_SECONDS = 3;
export const COALESCE_MAX_SECONDS = 12;
/** A taken name is tried again with `-1` up to this suffix. */
export const MAX_NAME_SUFFIX = 7;
export const PREVIEW_UNITS = 120;
