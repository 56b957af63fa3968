import { FUTURE_NOTICE_MS } from '@parley/protocol/continuity/limits';
import { conflict } from '../../wire/memory/errors.ts';
import type { Instant } from '../capsule/instant.ts';

const STALE = 'Incoming continuity capsule is older than the current stored capsule';
const SAME_TIME = 'Incoming continuity capsule conflicts with the current stored capsule timestamp';

export function refuseOlder(incoming: Instant, storedKey: string | null | undefined): void {
  if (storedKey && incoming.key < storedKey) throw conflict(STALE);
}

export function refuseSameTime(incoming: Instant, storedKey: string | null | undefined): void {
  if (storedKey && incoming.key === storedKey) throw conflict(SAME_TIME);
}

/** For what has to be newer in any case. */
export function refuseNotNewer(incoming: Instant, storedKey: string | null | undefined): void {
  refuseOlder(incoming, storedKey);
  refuseSameTime(incoming, storedKey);
}

/** A clock far ahead keeps everyone else from writing until then. */
export function futureNotices(incoming: Instant, now: number): string[] {
  return incoming.floorMs > now + FUTURE_NOTICE_MS ? ['continuity_updated_at_in_future'] : [];
}
