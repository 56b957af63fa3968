/** Whole seconds, as answers show times: `2026-06-01T09:00:00Z`. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds, as frames of the agent stream show times. */
export function isoMillis(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoSecondsOrNull(ms: number | null): string | null {
  return ms === null ? null : isoSeconds(ms);
}
