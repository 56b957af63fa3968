/** Sizes and times of the delivery protocol, each written here and nowhere else. Times are milliseconds unless named. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// Agents.
export const MAX_DISPLAY_NAME = 255;
export const MAX_WEBHOOK_URL = 2048;
export const MAX_METADATA_BYTES = 10_240;
export const MAX_SPECIALIZATION = 500;
export const MAX_TOOLS = 50;
export const MAX_TOOL = 100;
export const MAX_INBOUND_ALLOW = 100;
/** Longest text that can name an agent: a slug, an at sign, an owner slug, and room for stray spaces. */
export const MAX_ADDRESS = 200;
export const MAX_TASK_NAME = 255;

// Live sessions.
export const MAX_LABEL = 64;
export const MAX_SESSION_CUE_ID = 128;
export const MAX_MONITOR_VERSION = 64;
export const MAX_SESSION_TOKEN = 80;
export const MAX_PRESENTED_TOKEN = 128;
export const MAX_ATTESTATION_KEY = 88;
export const MAX_ATTESTATION_PROOF = 176;

// Messages.
export const MAX_MESSAGE_BYTES = 32_768;
export const MAX_SUBJECT = 255;
export const MAX_CORRELATION_ID = 255;
export const MAX_IDEMPOTENCY_KEY = 255;
export const MAX_NOTIFY = 10;
export const PREVIEW_CHARS = 200;
export const MIN_PRIORITY = 1;
export const MAX_PRIORITY = 5;
export const DEFAULT_PRIORITY = 3;
/** Priorities above this one are counted and may be downgraded to it. */
export const NORMAL_PRIORITY = 3;
export const MIN_TTL_SECONDS = 60;
export const MAX_TTL_SECONDS = 365 * 24 * 3600;

// Executions and outcomes.
export const MAX_WORKER_ID = 255;
/** Of an owner: a program that makes up a new name at every start would leave them behind without end. */
export const MAX_WORKERS = 1000;
export const MAX_HANDLERS = 200;
export const MAX_RESULT = 2000;
export const MAX_ERROR = 2000;
export const MAX_EXECUTED_VIA = 50;
export const MAX_EXTERNAL_ID = 500;
export const MAX_RESULT_URL = 2048;
export const MAX_RESULT_REF = 500;
export const MAX_RESULT_TYPE = 100;
export const MAX_SUMMARY = 500;
export const MAX_VERIFY_REASON = 500;
export const MAX_ARTIFACTS = 100;
/** Of all artifacts of a report, and of its assertions: lists of executions show them all. */
export const MAX_EVIDENCE_BYTES = 65_536;
export const CLAIMABLE_LIMIT = 50;
export const MAX_RESPONSE_CHARS = 2000;

// Cues.
export const MAX_CUE_NAME = 255;
export const MAX_CUE_DESCRIPTION = 4000;
export const MAX_CRON = 255;
export const MAX_TIMEZONE = 64;
export const MAX_PAYLOAD_BYTES = 1024 * 1024;
export const MAX_CALLBACK_HEADERS = 50;
export const MAX_HEADER_NAME = 128;
export const MAX_HEADER_VALUE = 4096;
export const MAX_RETRY_ATTEMPTS = 10;
export const DEFAULT_RETRY_ATTEMPTS = 3;
export const DEFAULT_BACKOFF_MINUTES: readonly number[] = [1, 5, 15];
export const MAX_BACKOFF_MINUTES = 7 * 24 * 60;
export const DEFAULT_CUE_TIMEOUT_SECONDS = 30;
export const DEFAULT_OUTCOME_DEADLINE_SECONDS = 300;
export const MAX_CUE_TIMEOUT_SECONDS = 3600;
export const DEFAULT_CONSECUTIVE_FAILURES = 3;
export const MAX_CONSECUTIVE_FAILURES = 100;
export const DEFAULT_MISSED_WINDOWS = 2;
export const MAX_MISSED_WINDOWS = 10;
export const MAX_ASSERTION_KEY = 255;
/** Keys that a fire, a cue or a payload may ask for. */
export const MAX_REQUIRED_KEYS = 20;
export const MAX_FIRE_KEY = 256;
export const MAX_CHAIN_DEPTH = 10;
/** Missed times that are made up for after a pause of the server, and times of one backfill. */
export const MAX_REPLAYED = 100;
export const MAX_JITTER_SECONDS = 3600;
export const MAX_BULK_DELETE = 100;
export const MAX_NEXT_RUNS = 100;
export const DEFAULT_NEXT_RUNS = 5;
/** Of the startup view that a wake carries. */
export const MAX_STARTUP_BYTES = 32_768;

// Waiting requests, in seconds.
export const MAX_WAIT_SECONDS = 25;
export const MAX_PREFER_WAIT_SECONDS = 40;

// Events.
/** How long a request for events that are not there yet is held, in seconds. */
export const EVENT_WAIT_SECONDS = 30;
export const EVENTS_PER_POST = 50;
/** Longest text of a message that goes with its event. */
export const MAX_INLINE_BODY_BYTES = 32_768;
/** Waits after the failures of an endpoint that is told of events, until it is left alone for a while. */
export const EVENT_RETRY_WAITS: readonly number[] = [
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
];
/** Messages of these priorities are also told of together, now and then. */
export const DIGEST_PRIORITY = 2;
/** A message of this priority is posted to its recipient's endpoints only so often. */
export const SPACED_PRIORITY = 4;

// Alerts and what follows from a failure.
export const ALARM_TIMEOUT = 10 * SECOND;
/** Waits between the attempts to post one; one attempt more than waits. */
export const ALARM_RETRY_WAITS: readonly number[] = [MINUTE, 5 * MINUTE];
/** Of the error that a failure is told with. */
export const MAX_TOLD_ERROR = 500;

// What is posted here to be looked at.
export const MIN_ECHO_TOKEN = 16;
export const MAX_ECHO_TOKEN = 128;
export const ECHO_LIFE = 5 * MINUTE;
/** Kept at a time, of all: whoever posts needs no key. */
export const MOST_ECHOES = 200;

// Quotas of a plan.
/** How long cues go on firing once the month's executions are used up. */
export const QUOTA_GRACE = DAY;
/** Share of a quota from which on answers warn. */
export const QUOTA_WARNING = 0.8;

/** Page sizes by list. */
export const PAGES = {
  agents: { default: 50, max: 100 },
  box: { default: 50, max: 200 },
  executions: { default: 20, max: 100 },
  cues: { default: 50, max: 100 },
  cueExecutions: { default: 10, max: 100 },
  events: { default: 100, max: 1000 },
  alerts: { default: 20, max: 100 },
} as const;

/** What the operator may change, and what holds when nobody does. */
export const DELIVERY_DEFAULTS = {
  claimWindowMs: 30 * SECOND,
  heartbeatThresholdMs: 120 * SECOND,
  autoDetachMs: 900 * SECOND,
  liveAttestation: 'hybrid',
  agentIdPrefix: 'agent_',
  requireSender: false,
  inboundPolicy: 'anyone',
  workerLeaseMs: 900 * SECOND,
  workerBeatTimeoutMs: 180 * SECOND,
  workerDeadMs: 900 * SECOND,
  unclaimedTimeoutMs: 900 * SECOND,
  liveOnlyCueLimitMs: 24 * HOUR,
  webhookTimeoutMs: 30 * SECOND,
  staleAttemptMs: 300 * SECOND,
  deliveriesPerOwner: 50,
  messageTtlMs: 30 * DAY,
  removalAfterTerminalMs: 7 * DAY,
  agentTombstoneMs: 30 * DAY,
  idempotencyMs: 24 * HOUR,
  inboundPairPerHour: 30,
  liveStreamsPerSession: 5,
  eventRetentionMs: 7 * DAY,
  digestMs: 600 * SECOND,
  spacedPostMs: 2 * SECOND,
  breakerFailures: 10,
  breakerPauseMs: HOUR,
  alertDedupMs: 300 * SECOND,
  alertRetentionMs: 90 * DAY,
  echoesPerHour: 10,
  failureMailsPerHour: 10,
  loopMaxHops: 50,
  loopPairTurns: 200,
  loopPairWindowMs: HOUR,
} as const;

/** Waits between the attempts to deliver a message by webhook; one attempt more than waits. */
export const MESSAGE_RETRY_WAITS: readonly number[] = [MINUTE, 5 * MINUTE, 15 * MINUTE];
export const MAX_RETRY_AFTER = 24 * HOUR;
/** Share of a wait by which it is moved at random, so that failed deliveries do not come back in step. */
export const RETRY_JITTER = 0.1;
export const MAX_SECRET_OVERLAP_SECONDS = 86_400;

// Presence.
export const ONLINE_WITHIN = 300 * SECOND;
export const AWAY_WITHIN = 1800 * SECOND;
export const ACTIVE_WITHIN = MINUTE;
export const SEEN_BUCKET = 5 * MINUTE;
export const ROSTER_MAX_AGE_SECONDS = 300;
export const LIVE_PING = 15 * SECOND;
