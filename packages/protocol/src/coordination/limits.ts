/** Every bound of what peers exchange, written here and nowhere else. Lengths are code points. */
export const PEER_CHARS = 200;
export const LINK_CHARS = 200;
export const NOTE_CHARS = 240;
export const COMMIT_MESSAGE_CHARS = 120;
export const TITLE_CHARS = 120;
export const SUMMARY_CHARS = 240;
export const PARTICIPANTS = 8;
/** Of each of the three lists of a shared state. */
export const SHARED_ITEMS = { items: 8, chars: 160 } as const;
export const CLAIMS = { least: 2, most: 4 } as const;
export const SOURCE_ID_CHARS = 64;
export const EVIDENCE_REFS = { items: 4, chars: 160 } as const;
export const QUERY_LIMIT = { least: 1, usual: 20, most: 100 } as const;
export const TRUST_REASON_CHARS = { least: 3, most: 500 } as const;
/** How long a writer waits for the others of its artifact. */
export const ARTIFACT_LOCK_MS = 30_000;
