import { planNamed } from '@parley/protocol/delivery/plans';
import { ALL_NAMESPACES, OWNER_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import { bearerToken } from '../../platform/auth/bearer.ts';
import { secretsEqual } from '../../platform/auth/secrets.ts';
import type { Database } from '../../platform/database/database.ts';
import type { VouchedAdmission } from '../../wire/caller.ts';
import { readOwner } from './owner-store.ts';

const INTERNAL = 'internal';

/** A program in front of this server that has checked its users itself and speaks for whom it names. */
export class Integrator {
  readonly #database: Database;
  readonly #token: string | undefined;

  constructor(database: Database, token: string | undefined) {
    this.#database = database;
    this.#token = token;
  }

  /** Undefined when the request is not the integrator's. */
  async admit(headers: Readonly<Record<string, unknown>>): Promise<VouchedAdmission | undefined> {
    const { authorization, 'x-on-behalf-of': ownerId } = headers;
    if (this.#token === undefined || typeof authorization !== 'string' || typeof ownerId !== 'string') {
      return undefined;
    }
    if (!secretsEqual(bearerToken(authorization) ?? '', this.#token)) return undefined;
    const owner = await readOwner(this.#database.read, ownerId.trim().toLowerCase());
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
  }
}
