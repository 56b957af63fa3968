import { bearerToken } from '../../platform/auth/bearer.ts';
import { secretsEqual } from '../../platform/auth/secrets.ts';
import type { Database } from '../../platform/database/database.ts';
import type { CallerGate } from '../../wire/caller.ts';
import { callerForOwner } from './caller-for-owner.ts';
import { readOwner } from './owner-store.ts';

const INTERNAL = 'internal';

/** A program in front of this server that has checked its users itself and speaks for whom it names. */
export const integratorGate = (database: Database, token: string | undefined): CallerGate['integrator'] => ({
  async admit(headers) {
    const { authorization, 'x-on-behalf-of': ownerId } = headers;
    if (token === undefined || typeof authorization !== 'string' || typeof ownerId !== 'string') {
      return undefined;
    }
    if (!secretsEqual(bearerToken(authorization) ?? '', token)) return undefined;
    const owner = await readOwner(database.read, ownerId.trim().toLowerCase());
    if (!owner) return { kind: 'unknown_owner' };
    const credential = { kind: INTERNAL, id: INTERNAL, expiresAt: null } as const;
    return { kind: 'caller', caller: callerForOwner(owner, credential) };
  },
});
