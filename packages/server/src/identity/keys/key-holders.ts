import { SELF_SLUG } from '@parley/protocol/identity/slug';
import type { IdentityService } from '../service.ts';
import { liveHolders } from './key-store.ts';

/** Who can call as a peer of the owner now, by slug: agents with a key, and the owner's own where a key is owner-wide. */
export async function keyHolders(
  { database, clock }: IdentityService,
  ownerId: string,
): Promise<ReadonlySet<string>> {
  const rows = await liveHolders(database.read, ownerId, clock.now());
  return new Set(rows.map(({ slug }) => slug ?? SELF_SLUG));
}
