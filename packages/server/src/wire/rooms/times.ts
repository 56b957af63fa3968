import { isoSeconds } from '@parley/protocol/iso-seconds';

/** Milliseconds, as frames of the agent stream show times. */
export function isoMillis(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoSecondsOrNull(ms: number | null): string | null {
  return ms === null ? null : isoSeconds(ms);
}
