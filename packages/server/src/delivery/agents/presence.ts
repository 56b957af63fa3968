import { ACTIVE_WITHIN, AWAY_WITHIN, ONLINE_WITHIN, SEEN_BUCKET } from '@parley/protocol/delivery/limits';
import type { AgentStatus } from '@parley/protocol/delivery/vocabulary';
import { DAY, HOUR, MINUTE } from '../../platform/units.ts';

/** What an agent says of itself wins when it says that it is not there; else the last sign of life decides. */
export function derivedStatus(asserted: AgentStatus, lastSeenAt: number | null, now: number): AgentStatus {
  if (asserted !== 'online') return asserted;
  if (lastSeenAt === null) return 'offline';
  const age = now - lastSeenAt;
  if (age <= ONLINE_WITHIN) return 'online';
  return age <= AWAY_WITHIN ? 'away' : 'offline';
}

export function lastSeenRelative(lastSeenAt: number | null, now: number): string {
  if (lastSeenAt === null) return 'never';
  const age = Math.max(0, now - lastSeenAt);
  if (age < ACTIVE_WITHIN) return 'active now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  return age < DAY ? `${Math.floor(age / HOUR)}h ago` : `${Math.floor(age / DAY)}d ago`;
}

/** Coarse on purpose: what is made from it changes every five minutes at most. */
export function bucketedSeen(lastSeenAt: number | null): string {
  if (lastSeenAt === null) return 'never';
  return new Date(Math.floor(lastSeenAt / SEEN_BUCKET) * SEEN_BUCKET).toISOString();
}
