/** Every bound of documents, tasks and retrieval, written here and nowhere else. */
export const DOCUMENT_BYTES = 10 * 1024 * 1024;
/** Keys of the store are indexed, and an index entry has to fit a page. */
export const DOCUMENT_PATH_BYTES = 1024;
export const TASK_ID_CHARS = 200;
export const TASKS_LIMIT = { least: 1, usual: 100, most: 500 } as const;
export const RESULTS_LIMIT = { least: 1, usual: 10, most: 100 } as const;
export const WINDOW_HOURS = { least: 1, most: 87_600 } as const;
export const WINDOW_DAYS = { least: 1, usual: 30, most: 3_650 } as const;
export const SELECTORS = 4;
export const RETRIEVED_CAPSULES = { least: 1, usual: 1, most: 4 } as const;
export const RETRIEVED_TOKENS = { least: 256, usual: 12_000, most: 100_000 } as const;
/** Beyond this age an index is stale. */
export const INDEX_FRESH_SECONDS = 86_400;
