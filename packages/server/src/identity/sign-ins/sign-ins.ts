import {
  CONSOLE_SESSION_BYTES,
  CONSOLE_SESSION_MS,
  CONSOLE_SESSION_PREFIX,
  type ConsoleSignIn,
} from '@parley/protocol/console/session-routes';
import { ADMIN_SCOPE, hasScope } from '@parley/protocol/identity/scopes';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { randomText, uuid } from '../../platform/ids.ts';
import type { Caller, Credential } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { pollLogin } from '../device-login/device-logins.ts';
import { announceRevoked } from '../keys/revocations.ts';
import { callerForOwner } from '../owners/caller-for-owner.ts';
import { readOwner, slugOwner } from '../owners/owner-store.ts';
import type { IdentityService } from '../service.ts';
import { codeExpiry } from './operator-code.ts';
import * as store from './sign-in-store.ts';

export type { SignIn } from './sign-in-store.ts';

/** Its expiry is written down no more often than this. */
const SLIDE_EVERY_MS = 60_000;
const LONGEST_AGENT = 300;

/** The token is the cookie's, and kept nowhere. Throws for what lets nobody in. */
export async function enter(
  identity: IdentityService,
  proof: ConsoleSignIn,
  agent: string,
): Promise<{ token: string; signIn: store.SignIn }> {
  const { database, clock, random } = identity;
  const who = 'code' in proof ? { ownerId: null, keyId: null } : await ownerOf(identity, proof);
  const token = `${CONSOLE_SESSION_PREFIX}${randomText(random, CONSOLE_SESSION_BYTES)}`;
  const now = clock.now();
  const signIn: store.SignIn = {
    id: uuid(random),
    ...who,
    agent: agent.slice(0, LONGEST_AGENT),
    createdAt: now,
    seenAt: now,
    expiresAt: now + CONSOLE_SESSION_MS,
  };
  await database.write(async (tx) => {
    await store.removeLapsed(tx, now);
    if ('code' in proof) {
      const expiresAt = codeExpiry(identity.secrets, proof.code);
      if (
        expiresAt === undefined ||
        expiresAt <= now ||
        !(await store.spendCode(tx, hashSecret(proof.code), expiresAt))
      )
        throw new DeliveryError(
          'invalid_token',
          'this link is used or too old; parley console makes a new one',
        );
    }
    await store.insertSignIn(tx, signIn, hashSecret(token));
  });
  return { token, signIn };
}

async function ownerOf(
  identity: IdentityService,
  proof: Exclude<ConsoleSignIn, { code: string }>,
): Promise<{ ownerId: string; keyId: string }> {
  const key = 'api_key' in proof ? proof.api_key.trim() : await keyOfDevice(identity, proof.device_code);
  const identified = await identity.credentials.identify(key);
  if (identified.kind !== 'caller' || identified.caller.credential.kind !== 'api_key') {
    throw new DeliveryError(identified.kind === 'rotated' ? 'key_rotated' : 'invalid_api_key');
  }
  const { caller } = identified;
  if (caller.agent || !hasScope(caller.scopes, ADMIN_SCOPE)) throw new DeliveryError('owner_key_required');
  return { ownerId: caller.ownerId, keyId: caller.keyId };
}

/** The key stays on this side. */
async function keyOfDevice(identity: IdentityService, code: string): Promise<string> {
  const login = await pollLogin(identity, code);
  if (login.api_key === undefined) {
    throw new DeliveryError('invalid_state', `the login is ${login.status}`, {
      extra: { login: login.status },
    });
  }
  return login.api_key;
}

/** Who holds the cookie, and for 12 more hours from now on. */
export async function signedIn(identity: IdentityService, token: string): Promise<store.SignIn | undefined> {
  if (!token.startsWith(CONSOLE_SESSION_PREFIX)) return undefined;
  const { database, clock } = identity;
  const now = clock.now();
  const signIn = await store.signInByHash(database.read, hashSecret(token), now);
  if (!signIn || now - signIn.seenAt < SLIDE_EVERY_MS) return signIn;
  const expiresAt = now + CONSOLE_SESSION_MS;
  await database.write((tx) => store.slide(tx, signIn.id, now, expiresAt));
  return { ...signIn, seenAt: now, expiresAt };
}

/** An owner as the key it came in with; undefined when that is over. */
export async function callerOfOwner(
  identity: IdentityService,
  signIn: store.SignIn,
): Promise<Caller | undefined> {
  const identified = await identity.credentials.ofKey(signIn.keyId ?? '');
  if (identified.kind !== 'caller') return undefined;
  return { ...identified.caller, credential: credentialOf(signIn) };
}

/** An operator for the owner it names, by id or slug. */
export async function callerForNamed(
  { database }: IdentityService,
  signIn: store.SignIn,
  named: string,
): Promise<Caller | undefined> {
  const { read } = database;
  const owner =
    (await readOwner(read, named)) ?? (await readOwner(read, (await slugOwner(read, named)) ?? ''));
  return owner && callerForOwner(owner, credentialOf(signIn));
}

const credentialOf = ({ id, expiresAt }: store.SignIn): Credential => ({ kind: 'console', id, expiresAt });

export const signInsOf = (
  { database, clock }: IdentityService,
  ownerId: string | null,
): Promise<store.SignIn[]> => store.signInsOf(database.read, ownerId, clock.now());

/** False when there was none of the owner, or of operators. Its open streams end. */
export function signOut(
  { database, bus }: IdentityService,
  id: string,
  ownerId: string | null,
): Promise<boolean> {
  return database.write(async (tx) => {
    const removed = await store.removeSignIn(tx, id, ownerId);
    if (removed) announceRevoked(bus, tx, [id]);
    return removed;
  });
}
