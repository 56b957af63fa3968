import { planNamed } from '@parley/protocol/delivery/plans';
import { credentialForm, ROTATED_NOTICE_MS } from '@parley/protocol/identity/credentials';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { Remembered } from '../../platform/database/remembered.ts';
import type { WriteBehind } from '../../platform/database/write-behind.ts';
import type { Platform } from '../../platform.ts';
import type { AgentRef, Caller, Credential } from '../../wire/caller.ts';
import { standingSignIns } from '../sign-ins/sign-in-store.ts';
import * as store from './credential-store.ts';

/** Who stands behind a bearer text. `rotated` is told apart for a day, so that an owner sees which key to replace. */
export type Identified =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'unknown' | 'rotated' | 'revoked' | 'expired' };

interface CredentialsParts extends Pick<Platform, 'database' | 'clock'> {
  readonly lastUsed: WriteBehind<number>;
}

const UNKNOWN: Identified = { kind: 'unknown' };

interface Known {
  readonly row: store.CredentialRow;
  readonly caller: Caller;
}

const CREDENTIALS_KEPT = 10_000;
const STANDING = {
  api_key: store.standingKeys,
  session: store.standingSessions,
  console: standingSignIns,
} as const;

/**
 * Looks credentials up by hash. Rows are remembered, verdicts are not: a revocation is a write, after which everything is
 * read again, and what depends on the time is asked of the clock each time.
 */
export class Credentials {
  readonly #parts: CredentialsParts;
  readonly #lists = new ListTexts();
  readonly #known: Remembered<Known>;

  constructor(parts: CredentialsParts) {
    this.#parts = parts;
    this.#known = new Remembered({ ...parts, tables: store.CREDENTIAL_TABLES, most: CREDENTIALS_KEPT });
  }

  async identify(bearer: string): Promise<Identified> {
    const form = credentialForm(bearer);
    if (form === undefined) return UNKNOWN;
    const hash = hashSecret(bearer);
    const known = await this.#known.get(hash, () =>
      this.#find(form === 'session' ? store.findSession : store.findKey, hash),
    );
    return known ? this.#verdict(known) : UNKNOWN;
  }

  /** The same of a key that somebody signed in with. */
  async ofKey(keyId: string): Promise<Identified> {
    const known = await this.#known.get(`key ${keyId}`, () => this.#find(store.findKeyById, keyId));
    return known ? this.#verdict(known) : UNKNOWN;
  }

  #verdict({ row, caller }: Known): Identified {
    const now = this.#parts.clock.now();
    if (row.revoked_at !== null) {
      const told = row.rotated === 1 && now - row.revoked_at < ROTATED_NOTICE_MS;
      return { kind: told ? 'rotated' : 'revoked' };
    }
    if (row.expires_at !== null && row.expires_at <= now) return { kind: 'expired' };
    if (row.agent_deleted_at !== null) return UNKNOWN;
    this.#parts.lastUsed.note(row.key_id, now);
    return { kind: 'caller', caller };
  }

  async #find(find: typeof store.findKey, hash: string): Promise<Known | undefined> {
    const row = await find(this.#parts.database.read, hash);
    return row && { row, caller: this.#caller(row) };
  }

  async stillValid(credential: Pick<Credential, 'kind' | 'id'>): Promise<boolean> {
    return (await this.stillValidOf([credential])).has(credential.id);
  }

  /** The ids of those that are good now, with one question for each kind. */
  async stillValidOf(credentials: readonly Pick<Credential, 'kind' | 'id'>[]): Promise<ReadonlySet<string>> {
    const { database, clock } = this.#parts;
    const idsOf = (wanted: Credential['kind']): string[] =>
      credentials.filter(({ kind }) => kind === wanted).map(({ id }) => id);
    // It stands as long as the server runs with its token.
    const valid = new Set(idsOf('internal'));
    for (const kind of ['api_key', 'session', 'console'] as const) {
      const ids = idsOf(kind);
      if (ids.length === 0) continue;
      for (const id of await STANDING[kind](database.read, ids, clock.now())) valid.add(id);
    }
    return valid;
  }

  #caller(row: store.CredentialRow): Caller {
    return {
      ownerId: row.owner_id,
      ownerSlug: row.owner_slug,
      plan: planNamed(row.plan),
      agent: boundAgent(row),
      credential:
        row.session_id === null
          ? { kind: 'api_key', id: row.key_id, expiresAt: row.expires_at }
          : { kind: 'session', id: row.session_id, expiresAt: row.expires_at },
      keyId: row.key_id,
      keyPrefix: row.prefix,
      scopes: this.#lists.read(row.scopes),
      readNamespaces: this.#lists.read(row.read_namespaces),
      writeNamespaces: this.#lists.read(row.write_namespaces),
    };
  }
}

function boundAgent(row: store.CredentialRow): AgentRef | undefined {
  if (row.suffix === null) return undefined;
  return {
    suffix: row.suffix,
    ownerId: row.owner_id,
    name: row.display_name ?? '',
    slug: row.agent_slug ?? '',
  };
}

/** Nearly all keys have one of a few lists, so their parsed form is kept; the rest is parsed each time. */
class ListTexts {
  readonly #known = new Map<string, readonly string[]>();

  read(text: string): readonly string[] {
    const known = this.#known.get(text);
    if (known) return known;
    const list: readonly string[] = Object.freeze(JSON.parse(text));
    if (this.#known.size < LISTS_KEPT) this.#known.set(text, list);
    return list;
  }
}

const LISTS_KEPT = 256;
