/** Every bound of the schedule, written here and nowhere else. Lengths are code points, after trimming. */
export const TITLE_CHARS = 160;
export const NOTE_CHARS = 1_000;
export const REASON_CHARS = 500;
/** Of `task_id`, `thread_id`, `subject_id` and `idempotency_key`. */
export const LINK_CHARS = 200;
export const METADATA_BYTES = 2_048;

export const LIST_LIMIT = { least: 1, usual: 50, most: 200 } as const;
export const LIST_OFFSET = { least: 0, usual: 0, most: 10_000 } as const;

/** What a startup read shows: how many are due, how many come, and how far ahead it looks. */
export const DUE_LIMIT = { least: 1, usual: 10, most: 100 } as const;
export const UPCOMING_LIMIT = { least: 0, usual: 5, most: 100 } as const;
export const UPCOMING_WINDOW_HOURS = { least: 1, usual: 72, most: 720 } as const;
