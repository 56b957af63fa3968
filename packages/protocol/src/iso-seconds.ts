/** Whole seconds of UTC, as most answers show times: `2026-06-01T09:00:00Z`. */
export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
