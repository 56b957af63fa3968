import { INVITE_BYTES, INVITE_PREFIX } from '@parley/protocol/identity/credentials';
import { hashSecret } from '../platform/auth/secrets.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { sql } from '../platform/database/sql.ts';
import type { Random } from '../platform/ids.ts';

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
      await tx.run(sql`DELETE FROM invites WHERE used_at IS NULL AND expires_at <= ${now}`);
      await tx.run(sql`
        INSERT INTO invites (hash, created_at, expires_at)
        VALUES (${hashSecret(code)}, ${now}, ${expiresAt})`);
    });
    return { code, expiresAt };
  }

  /** In the transaction of the registration: what fails after it leaves the code unused. */
  async use(tx: Tx, code: string): Promise<boolean> {
    const now = this.#options.clock.now();
    const used = await tx.run(sql`
      UPDATE invites SET used_at = ${now} WHERE hash = ${hashSecret(code)} AND used_at IS NULL AND expires_at > ${now}`);
    return used === 1;
  }

  async remember(tx: Tx, code: string, ownerId: string): Promise<void> {
    await tx.run(sql`UPDATE invites SET used_by = ${ownerId} WHERE hash = ${hashSecret(code)}`);
  }
}
