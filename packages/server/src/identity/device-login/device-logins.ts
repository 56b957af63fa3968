import {
  DEVICE_LOGIN_SECONDS,
  DEVICE_SESSION_MS,
  DEVICE_SESSION_PREFIX,
  type DeviceLoginStatus,
} from '@parley/protocol/identity/device-login-routes';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { SecretBox } from '../../platform/auth/secret-box.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import type { Keys } from '../keys/keys.ts';
import { emailOwner, readOwner } from '../owners/owner-store.ts';
import type { Registration } from '../owners/registration.ts';
import {
  approveLogin,
  claimLogin,
  type DeviceLoginRow,
  insertLogin,
  keepKey,
  lockLogin,
  loginByCode,
  loginByLink,
  loginBySession,
  removeOldLogins,
  setLink,
} from './device-login-store.ts';

export interface DeviceLoginsOptions {
  database: Database;
  clock: Clock;
  random: Random;
  secrets: SecretBox;
  keys: Keys;
  registration: Registration;
}

/** A link that is to reach the holder of an address, and nobody else. */
export interface LoginLink {
  readonly email: string;
  readonly url: string;
}

export interface PolledLogin {
  readonly status: DeviceLoginStatus;
  readonly api_key?: string;
  readonly email?: string;
  readonly session_token?: string;
  readonly existing_user?: boolean;
}

const TOKEN_BYTES = 24;
const KEY_LABEL = 'browser login';
/** Rows that are long over stay a while, so that whoever asks late is told what happened. */
const KEPT_MS = 2 * DEVICE_SESSION_MS;

/**
 * A login on a command line: it names a code of its own and polls; a person opens the page, names the address of the
 * account and approves with the link that goes there.
 *
 * | status | leaves by |
 * | --- | --- |
 * | `pending` | the address is named → email_sent |
 * | `email_sent` | named again → email_sent, with a new link; approved with the link → approved |
 * | `approved` | polled → claimed |
 * | `claimed` | – |
 * | `expired` | what is not claimed after 15 minutes |
 *
 * The key is made when it is first fetched, so that an approved login nobody comes for leaves none behind.
 */
export class DeviceLogins {
  readonly #options: DeviceLoginsOptions;
  readonly #listeners: ((link: LoginLink) => void)[] = [];

  constructor(options: DeviceLoginsOptions) {
    this.#options = options;
  }

  /** Where links go. There is no mailer, so the operator is shown them. */
  onLink(listener: (link: LoginLink) => void): void {
    this.#listeners.push(listener);
  }

  async begin(code: string): Promise<void> {
    const { database, clock } = this.#options;
    const now = clock.now();
    const begun = await database.write(async (tx) => {
      await removeOldLogins(tx, now - KEPT_MS);
      return await insertLogin(tx, hashSecret(code), { now, expiresAt: now + DEVICE_LOGIN_SECONDS * 1000 });
    });
    if (!begun) throw new DeliveryError('device_code_exists');
  }

  async poll(code: string): Promise<PolledLogin> {
    const { database } = this.#options;
    const login = found(await loginByCode(database.read, hashSecret(code)));
    if (login.status === 'claimed') return { status: 'claimed' };
    if (this.#isOver(login)) return { status: 'expired' };
    if (login.status !== 'approved') return { status: login.status };
    const apiKey = await database.write(async (tx) => {
      const key = await this.#fetch(tx, login);
      if (key !== undefined) await claimLogin(tx, login.code_hash);
      return key;
    });
    // Only who comes first has it: what was read before is still what the row held then.
    if (apiKey === undefined) return { status: 'claimed' };
    return {
      status: 'approved',
      api_key: apiKey,
      email: login.email ?? '',
      session_token: this.#open(login, login.session_token),
      ...(login.existing === 1 && { existing_user: true }),
    };
  }

  /** The same answer whether the address is known or not: only its holder learns that. */
  async sendLink(code: string, email: string, urlOf: (token: string) => string): Promise<void> {
    const { database, random } = this.#options;
    const token = tokenText(random);
    await database.write(async (tx) => {
      const login = found(await loginByCode(tx, hashSecret(code)));
      if (this.#isOver(login)) throw new DeliveryError('device_code_expired');
      const set = await setLink(tx, login.code_hash, { email, linkHash: hashSecret(token) });
      if (!set) throw new DeliveryError('invalid_device_code', 'this login is approved already');
    });
    for (const listener of this.#listeners) listener({ email, url: urlOf(token) });
  }

  /** The address a link was sent to. A link that names another code than its own is none of ours. */
  async asked(token: string, code: string | undefined): Promise<string> {
    const login = this.#sent(await loginByLink(this.#options.database.read, hashSecret(token)));
    if (code !== undefined && hashSecret(code) !== login.code_hash) throw new DeliveryError('invalid_token');
    return login.email;
  }

  /** An account is made for an address that has none, as far as registration lets it in. */
  async approve(token: string, invite?: string): Promise<{ sessionToken: string; email: string }> {
    const { database, clock, random } = this.#options;
    const linkHash = hashSecret(token);
    const login = this.#sent(await loginByLink(database.read, linkHash));
    const { email } = login;
    const { ownerId, existing } = await this.#account(email, invite);
    const sessionToken = `${DEVICE_SESSION_PREFIX}${tokenText(random)}`;
    await database.write(async (tx) => {
      const approved = await approveLogin(tx, linkHash, {
        ownerId,
        existing,
        sealedSession: this.#seal(login, sessionToken),
        sessionHash: hashSecret(sessionToken),
        sessionExpiresAt: clock.now() + DEVICE_SESSION_MS,
      });
      if (!approved) throw new DeliveryError('invalid_token');
    });
    return { sessionToken, email };
  }

  /** The key of an approved login, until it is claimed or the login is over. */
  async key(sessionToken: string): Promise<string> {
    const { database, clock } = this.#options;
    const login = await loginBySession(database.read, hashSecret(sessionToken));
    if (!login) throw new DeliveryError('invalid_session');
    if ((login.session_expires_at ?? 0) <= clock.now()) throw new DeliveryError('session_expired');
    if (!(await readOwner(database.read, login.owner_id ?? ''))) throw new DeliveryError('user_not_found');
    if (this.#isOver(login)) throw new DeliveryError('plaintext_unavailable');
    const apiKey = await database.write(async (tx) => {
      const key = await this.#fetch(tx, login);
      if (key !== undefined) await keepKey(tx, login.code_hash, this.#seal(login, key));
      return key;
    });
    if (apiKey === undefined) throw new DeliveryError('plaintext_unavailable');
    return apiKey;
  }

  /** The key, made now if nobody has fetched it yet; undefined once it is claimed. */
  async #fetch(tx: Tx, { code_hash: codeHash }: DeviceLoginRow): Promise<string | undefined> {
    await lockLogin(tx, codeHash);
    const login = await loginByCode(tx, codeHash);
    if (login?.status !== 'approved' || login.owner_id === null) return undefined;
    if (login.api_key !== null) return this.#open(login, login.api_key);
    const { secret } = await this.#options.keys.mintWithin(tx, login.owner_id, null, {
      label: KEY_LABEL,
    });
    return secret;
  }

  async #account(email: string, invite: string | undefined): Promise<{ ownerId: string; existing: boolean }> {
    const { database, registration } = this.#options;
    const known = await emailOwner(database.read, email);
    if (known !== undefined) return { ownerId: known, existing: true };
    try {
      const { id } = await registration.account(email, invite);
      return { ownerId: id, existing: false };
    } catch (error) {
      // Registered in the same moment by another way.
      const other = await emailOwner(database.read, email);
      if (other === undefined) throw error;
      return { ownerId: other, existing: true };
    }
  }

  #sent(login: DeviceLoginRow | undefined): DeviceLoginRow & { email: string } {
    if (!login?.email) throw new DeliveryError('invalid_token');
    if (this.#isOver(login)) throw new DeliveryError('device_code_expired');
    return { ...login, email: login.email };
  }

  #isOver({ expires_at: expiresAt }: DeviceLoginRow): boolean {
    return expiresAt <= this.#options.clock.now();
  }

  #seal(login: DeviceLoginRow, secret: string): string {
    return this.#options.secrets.seal(secret, purpose(login));
  }

  #open(login: DeviceLoginRow, sealed: string | null): string {
    if (sealed === null) throw new Error('an approved login has lost its key');
    return this.#options.secrets.open(sealed, purpose(login));
  }
}

const purpose = ({ code_hash: hash }: DeviceLoginRow): string => `device-login:${hash}`;

const tokenText = (random: Random): string => Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');

function found(login: DeviceLoginRow | undefined): DeviceLoginRow {
  if (!login) throw new DeliveryError('invalid_device_code');
  return login;
}
