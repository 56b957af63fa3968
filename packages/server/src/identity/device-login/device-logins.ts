import {
  DEVICE_LOGIN_SECONDS,
  DEVICE_SESSION_MS,
  DEVICE_SESSION_PREFIX,
  type DeviceLoginStatus,
} from '@parley/protocol/identity/device-login-routes';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Tx } from '../../platform/database/database.ts';
import { randomText } from '../../platform/ids.ts';
import { mintKeyWithin } from '../keys/keys.ts';
import { emailOwner, readOwner } from '../owners/owner-store.ts';
import { registerAccount } from '../owners/registration.ts';
import type { IdentityService } from '../service.ts';
import * as store from './device-login-store.ts';

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
export async function beginLogin({ database, clock }: IdentityService, code: string): Promise<void> {
  const now = clock.now();
  const begun = await database.write(async (tx) => {
    await store.removeOldLogins(tx, now - KEPT_MS);
    return await store.insertLogin(tx, hashSecret(code), {
      now,
      expiresAt: now + DEVICE_LOGIN_SECONDS * 1000,
    });
  });
  if (!begun) throw new DeliveryError('device_code_exists');
}

export async function pollLogin(identity: IdentityService, code: string): Promise<PolledLogin> {
  const { database } = identity;
  const login = found(await store.loginByCode(database.read, hashSecret(code)));
  if (login.status === 'claimed') return { status: 'claimed' };
  if (isOver(identity, login)) return { status: 'expired' };
  if (login.status !== 'approved') return { status: login.status };
  const apiKey = await database.write(async (tx) => {
    const key = await fetchKey(identity, tx, login);
    if (key !== undefined) await store.claimLogin(tx, login.code_hash);
    return key;
  });
  // Only who comes first has it: what was read before is still what the row held then.
  if (apiKey === undefined) return { status: 'claimed' };
  return {
    status: 'approved',
    api_key: apiKey,
    email: login.email ?? '',
    session_token: open(identity, login, login.session_token),
    ...(login.existing === 1 && { existing_user: true }),
  };
}

/** The same answer whether the address is known or not: only its holder learns that. */
export async function sendLink(
  identity: IdentityService,
  code: string,
  email: string,
  urlOf: (token: string) => string,
): Promise<void> {
  const { database, random, hooks } = identity;
  const token = randomText(random, TOKEN_BYTES);
  await database.write(async (tx) => {
    const login = found(await store.loginByCode(tx, hashSecret(code)));
    if (isOver(identity, login)) throw new DeliveryError('device_code_expired');
    const set = await store.setLink(tx, login.code_hash, { email, link_hash: hashSecret(token) });
    if (!set) throw new DeliveryError('invalid_device_code', 'this login is approved already');
  });
  for (const send of hooks.loginLink) send({ email, url: urlOf(token) });
}

/** The address a link was sent to. A link that names another code than its own is none of ours. */
export async function askedAddress(
  identity: IdentityService,
  token: string,
  code: string | undefined,
): Promise<string> {
  const login = sent(identity, await store.loginByLink(identity.database.read, hashSecret(token)));
  if (code !== undefined && hashSecret(code) !== login.code_hash) throw new DeliveryError('invalid_token');
  return login.email;
}

/** An account is made for an address that has none, as far as registration lets it in. */
export async function approve(
  identity: IdentityService,
  token: string,
  invite?: string,
): Promise<{ sessionToken: string; email: string }> {
  const { database, clock, random } = identity;
  const linkHash = hashSecret(token);
  const login = sent(identity, await store.loginByLink(database.read, linkHash));
  const { email } = login;
  const { ownerId, existing } = await accountFor(identity, email, invite);
  const sessionToken = `${DEVICE_SESSION_PREFIX}${randomText(random, TOKEN_BYTES)}`;
  await database.write(async (tx) => {
    const approved = await store.approveLogin(tx, linkHash, {
      owner_id: ownerId,
      existing: existing ? 1 : 0,
      session_token: seal(identity, login, sessionToken),
      session_hash: hashSecret(sessionToken),
      session_expires_at: clock.now() + DEVICE_SESSION_MS,
    });
    if (!approved) throw new DeliveryError('invalid_token');
  });
  return { sessionToken, email };
}

/** The key of an approved login, until it is claimed or the login is over. */
export async function keyOfLogin(identity: IdentityService, sessionToken: string): Promise<string> {
  const { database, clock } = identity;
  const login = await store.loginBySession(database.read, hashSecret(sessionToken));
  if (!login) throw new DeliveryError('invalid_session');
  if ((login.session_expires_at ?? 0) <= clock.now()) throw new DeliveryError('session_expired');
  if (!(await readOwner(database.read, login.owner_id ?? ''))) throw new DeliveryError('user_not_found');
  if (isOver(identity, login)) throw new DeliveryError('plaintext_unavailable');
  const apiKey = await database.write(async (tx) => {
    const key = await fetchKey(identity, tx, login);
    if (key !== undefined) await store.keepKey(tx, login.code_hash, seal(identity, login, key));
    return key;
  });
  if (apiKey === undefined) throw new DeliveryError('plaintext_unavailable');
  return apiKey;
}

/** The key, made now if nobody has fetched it yet; undefined once it is claimed. */
async function fetchKey(
  identity: IdentityService,
  tx: Tx,
  { code_hash: codeHash }: store.DeviceLoginRow,
): Promise<string | undefined> {
  await store.lockLogin(tx, codeHash);
  const login = await store.loginByCode(tx, codeHash);
  if (login?.status !== 'approved' || login.owner_id === null) return undefined;
  if (login.api_key !== null) return open(identity, login, login.api_key);
  return (await mintKeyWithin(identity, tx, login.owner_id, null, { label: KEY_LABEL })).secret;
}

async function accountFor(
  identity: IdentityService,
  email: string,
  invite: string | undefined,
): Promise<{ ownerId: string; existing: boolean }> {
  const { database } = identity;
  const known = await emailOwner(database.read, email);
  if (known !== undefined) return { ownerId: known, existing: true };
  try {
    const { id } = await registerAccount(identity, email, invite);
    return { ownerId: id, existing: false };
  } catch (error) {
    // Registered in the same moment by another way.
    const other = await emailOwner(database.read, email);
    if (other === undefined) throw error;
    return { ownerId: other, existing: true };
  }
}

function sent(
  identity: IdentityService,
  login: store.DeviceLoginRow | undefined,
): store.DeviceLoginRow & { email: string } {
  if (!login?.email) throw new DeliveryError('invalid_token');
  if (isOver(identity, login)) throw new DeliveryError('device_code_expired');
  return { ...login, email: login.email };
}

const isOver = ({ clock }: IdentityService, login: store.DeviceLoginRow): boolean =>
  login.expires_at <= clock.now();

const seal = ({ secrets }: IdentityService, login: store.DeviceLoginRow, secret: string): string =>
  secrets.seal(secret, purpose(login));

function open({ secrets }: IdentityService, login: store.DeviceLoginRow, sealed: string | null): string {
  if (sealed === null) throw new Error('an approved login has lost its key');
  return secrets.open(sealed, purpose(login));
}

const purpose = ({ code_hash: hash }: store.DeviceLoginRow): string => `device-login:${hash}`;

function found(login: store.DeviceLoginRow | undefined): store.DeviceLoginRow {
  if (!login) throw new DeliveryError('invalid_device_code');
  return login;
}
