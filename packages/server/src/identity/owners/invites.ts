import { INVITE_BYTES, INVITE_PREFIX } from '@parley/protocol/identity/credentials';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import { insertInvite, markInviteUsed, removeLapsedInvites, setInviteUser } from './invite-store.ts';

export const INVITE_LIFETIME_MS = 7 * 24 * 3_600_000;

export interface InvitesOptions {
  database: Database;
  clock: Clock;
  random: Random;
}

/** Shown once: the store keeps only a hash of the code. */
export interface Invite {
  readonly code: string;
  readonly expiresAt: number;
}

/** Codes that let one registration in, once. */
export class Invites {
  readonly #options: InvitesOptions;

  constructor(options: InvitesOptions) {
    this.#options = options;
  }

  async create(): Promise<Invite> {
    const { database, clock, random } = this.#options;
    const code = `${INVITE_PREFIX}${Buffer.from(random.bytes(INVITE_BYTES)).toString('base64url')}`;
    const now = clock.now();
    const expiresAt = now + INVITE_LIFETIME_MS;
    await database.write(async (tx) => {
      await removeLapsedInvites(tx, now);
      await insertInvite(tx, { hash: hashSecret(code), now, expiresAt });
    });
    return { code, expiresAt };
  }

  /** In the transaction of the registration: what fails after it leaves the code unused. */
  use(tx: Tx, code: string): Promise<boolean> {
    return markInviteUsed(tx, hashSecret(code), this.#options.clock.now());
  }

  remember(tx: Tx, code: string, ownerId: string): Promise<void> {
    return setInviteUser(tx, hashSecret(code), ownerId);
  }
}
