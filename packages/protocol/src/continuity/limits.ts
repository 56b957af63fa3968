/** Every bound of the capsule protocol, written here and nowhere else. Lengths are code points. */
export const MAX_CAPSULE_BYTES = 20_480;
export const MAX_REQUEST_BYTES = 262_144;

export const SUBJECT_ID_CHARS = 200;
export const SLUG_CHARS = 120;
export const PRODUCER_CHARS = 100;
export const INPUTS = { items: 12, chars: 200 } as const;
export const STANCE_CHARS = 240;
/** A shorter stance does not orient anyone. */
export const ADEQUATE_STANCE_CHARS = 30;

/** Lists of plain texts inside `continuity`: how many, how long, and whether an item may be empty. */
export const STATE_LISTS = {
  top_priorities: { items: 8, chars: 160, least: 0 },
  active_concerns: { items: 5, chars: 160, least: 0 },
  active_constraints: { items: 8, chars: 160, least: 0 },
  open_loops: { items: 8, chars: 160, least: 0 },
  drift_signals: { items: 5, chars: 160, least: 0 },
  working_hypotheses: { items: 5, chars: 160, least: 0 },
  long_horizon_commitments: { items: 5, chars: 160, least: 0 },
  session_trajectory: { items: 5, chars: 80, least: 0 },
  trailing_notes: { items: 3, chars: 160, least: 1 },
  curiosity_queue: { items: 5, chars: 120, least: 1 },
} as const;
export type StateList = keyof typeof STATE_LISTS;

export const NEGATIVE_DECISIONS = { items: 4, decision: 160, rationale: 240 } as const;
export const RATIONALE_ENTRIES = {
  items: 6,
  tag: 80,
  summary: 320,
  reasoning: 560,
  alternatives: { items: 3, chars: 160 },
  dependsOn: { items: 3, chars: 120 },
  supersedes: 80,
} as const;
export const STABLE_PREFERENCES = { items: 12, tag: 80, content: 240 } as const;
export const RELATED_DOCUMENTS = { items: 8, path: 240, kind: 32, label: 120, relevance: 32 } as const;

export const PREFERRED_STYLE = { items: 5, chars: 80 } as const;
export const SENSITIVITY_NOTES = { items: 5, chars: 120 } as const;
export const MUST_INCLUDE = { items: 8, chars: 160 } as const;
export const AVOID = { items: 8, chars: 160 } as const;
export const LOAD_NEXT_ITEMS = 8;
export const EARLY_LOAD_ITEMS = 8;
export const PRESENCE_BIAS = { items: 5, chars: 160 } as const;
export const CANONICAL_SOURCES_ITEMS = 8;
export const METADATA_KEYS = 12;
export const STALE_AFTER_SECONDS = { min: 300, max: 31_536_000 } as const;

export const EVIDENCE_REFS = { items: 4, chars: 200 } as const;
export const CONFLICT_SUMMARY_CHARS = 240;
export const HEALTH_REASONS = { items: 5, chars: 120 } as const;

export const LABEL_CHARS = 120;
export const KEYWORDS = { items: 6, chars: 40 } as const;
export const SCOPE_ANCHORS = { items: 4, chars: 200 } as const;
export const IDENTITY_ANCHORS = { items: 4, kind: 40, value: 200 } as const;

export const COMMIT_MESSAGE_CHARS = 240;
export const IDEMPOTENCY_KEY_CHARS = 200;
export const REPLAY_MS = 24 * 3_600_000;
export const PATCH_OPERATIONS = { min: 1, max: 10 } as const;
export const SIGNALS = { min: 1, max: 8, sourceRef: 200, summary: 240 } as const;
export const REASON_CHARS = 120;
export const REMOVAL_REASON_CHARS = { min: 3, max: 240 } as const;
export const LIST_LIMIT = { least: 1, usual: 50, most: 200 } as const;
export const PLAN_LIMIT = { least: 1, usual: 25, most: 100 } as const;
export const HISTORY_LIMIT = { least: 1, usual: 20, most: 100 } as const;
export const SEARCH_LIMIT = { least: 1, usual: 20, most: 100 } as const;
export const SEARCH_QUERY_CHARS = 240;
export const RETENTION_PATHS = 100;
export const PATH_CHARS = 400;
export const DEFAULT_REVISIONS_KEPT = 200;
export const DEFAULT_ARCHIVE_DAYS = 90;
/** A clock further ahead than this is worth a notice. */
export const FUTURE_NOTICE_MS = 300_000;
/** How long a writer waits for the others of its subject. */
export const SUBJECT_LOCK_MS = 30_000;

export const CALLS_PER_MINUTE = { perToken: 240, perAddress: 480 } as const;
