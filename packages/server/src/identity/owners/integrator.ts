import { planNamed } from '@parley/protocol/delivery/plans';
import { ALL_NAMESPACES, OWNER_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import { bearerToken } from '../../platform/auth/bearer.ts';
import { secretsEqual } from '../../platform/auth/secrets.ts';
import type { Database } from '../../platform/database/database.ts';
import type { CallerGate } from '../../wire/caller.ts';
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
    return {
      kind: 'caller',
      caller: {
        ownerId: owner.id,
        ownerSlug: owner.slug,
        plan: planNamed(owner.plan),
        agent: undefined,
        credential: { kind: INTERNAL, id: INTERNAL, expiresAt: null },
        keyId: INTERNAL,
        keyPrefix: INTERNAL,
        scopes: OWNER_KEY_SCOPES,
        readNamespaces: ALL_NAMESPACES,
        writeNamespaces: ALL_NAMESPACES,
      },
    };
  },
});
