import { FOUNDING_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { mintKey } from '../keys/keys.ts';
import type { IdentityService, Owner } from '../service.ts';
import { markInviteUsed, setInviteUser } from './invite-store.ts';
import { slugFrom } from '@parley/protocol/identity/slug';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { slugCandidates } from '../agents/agents.ts';
import { emailOwner, insertOwner } from './owner-store.ts';

/** Thrown in no protocol's shape: both that offer registration say it in their own. */
export class RegistrationRefused extends Error {
  override readonly name = 'RegistrationRefused';
  readonly reason: 'closed' | 'invite_required';

  constructor(reason: RegistrationRefused['reason']) {
    super(`registration refused: ${reason}`);
    this.reason = reason;
  }
}

const accountOf = (identity: IdentityService, tx: Tx, email: string): Promise<Owner> =>
  createOwner(identity, tx, { name: email.slice(0, email.lastIndexOf('@')), email });

export function registerOwner(
  identity: IdentityService,
  email: string,
  invite: string | undefined,
): Promise<{ owner: Owner; apiKey: string }> {
  return admit(identity, invite, async (tx) => {
    const owner = await accountOf(identity, tx, email);
    const { secret } = await mintKey(identity, tx, owner.id, null);
    return { owner, apiKey: secret };
  });
}

/** An account without a key, for whoever is given one later. */
export async function registerAccount(
  identity: IdentityService,
  email: string,
  invite: string | undefined,
): Promise<Owner> {
  const register = async (tx: Tx) => ({ owner: await accountOf(identity, tx, email) });
  return (await admit(identity, invite, register)).owner;
}

export function registerAgent(
  identity: IdentityService,
  name: string,
  invite?: string,
): Promise<{ owner: Owner; agent: AgentRef; apiKey: string }> {
  return admit(identity, invite, async (tx) => {
    const owner = await createOwner(identity, tx, { name, email: null });
    const agent = await identity.directory.create(tx, owner.id, name);
    const { secret } = await mintKey(identity, tx, owner.id, agent.suffix, { scopes: FOUNDING_KEY_SCOPES });
    return { owner, agent, apiKey: secret };
  });
}

/**
 * One transaction for each way in: account, first agent and key where there is one, and the invite it took. That is taken first, so
 * that nobody without one learns which email addresses are known; what fails after it leaves the code unused.
 */
async function admit<T extends { owner: Owner }>(
  { registrationMode, database, clock, hooks }: IdentityService,
  invite: string | undefined,
  register: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (registrationMode === 'closed') throw new RegistrationRefused('closed');
  const code = registrationMode === 'open' ? undefined : invite;
  if (registrationMode === 'invite' && code === undefined) throw new RegistrationRefused('invite_required');
  const hash = code === undefined ? undefined : hashSecret(code);
  const registered = await database.write(async (tx) => {
    if (hash === undefined) return await register(tx);
    if (!(await markInviteUsed(tx, hash, clock.now()))) throw new RegistrationRefused('invite_required');
    const made = await register(tx);
    await setInviteUser(tx, hash, made.owner.id);
    return made;
  });
  for (const hook of hooks.ownerCreated) await hook(registered.owner);
  return registered;
}

/** Makes an account. A slug is global, so the second `max` becomes `max-3f9a`. */
async function createOwner(
  { config, clock, random }: IdentityService,
  tx: Tx,
  { name, email }: { name: string; email: string | null },
): Promise<Owner> {
  const id = uuid(random);
  for (const slug of slugCandidates(slugFrom(name, 'user'), random)) {
    const owner = { id, slug, email };
    if (await insertOwner(tx, { ...owner, plan: config.defaultPlan, now: clock.now() })) return owner;
    if (email !== null && (await emailOwner(tx, email)) !== undefined)
      throw new DeliveryError('duplicate_email');
  }
  throw new Error('no free slug was found');
}
