import { INVITE_BYTES, INVITE_PREFIX } from '@parley/protocol/identity/credentials';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { randomText } from '../../platform/ids.ts';
import type { Platform } from '../../platform.ts';
import { insertInvite, removeLapsedInvites } from './invite-store.ts';
import { DAY } from '../../platform/units.ts';

export const INVITE_LIFETIME_MS = 7 * DAY;

/** Lets one registration in, once. Shown once: the store keeps only a hash of the code. */
export interface Invite {
  readonly code: string;
  readonly expiresAt: number;
}

export async function createInvite({
  database,
  clock,
  random,
}: Pick<Platform, 'database' | 'clock' | 'random'>): Promise<Invite> {
  const code = `${INVITE_PREFIX}${randomText(random, INVITE_BYTES)}`;
  const now = clock.now();
  const expiresAt = now + INVITE_LIFETIME_MS;
  await database.write(async (tx) => {
    await removeLapsedInvites(tx, now);
    await insertInvite(tx, hashSecret(code), now, expiresAt);
  });
  return { code, expiresAt };
}
