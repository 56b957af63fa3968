/** Every bound of documents, tasks and retrieval, written here and nowhere else. */
export const DOCUMENT_BYTES = 10 * 1024 * 1024;
/** Keys of the store are indexed, and an index entry has to fit a page. */
export const DOCUMENT_PATH_BYTES = 1024;
export const TASK_ID_CHARS = 200;
export const TASKS_LIMIT = { least: 1, usual: 100, most: 500 } as const;
export const RESULTS_LIMIT = { least: 1, usual: 10, most: 100 } as const;
export const WINDOW_HOURS = { least: 1, most: 87_600 } as const;
export const WINDOW_DAYS = { least: 1, most: 3_650 } as const;
