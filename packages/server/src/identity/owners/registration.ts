import { FOUNDING_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Agents } from '../agents/agents.ts';
import type { AgentRef } from '../../wire/caller.ts';
import type { Invites } from './invites.ts';
import type { Keys } from '../keys/keys.ts';
import type { Owner, Owners } from './owners.ts';
import type { RegistrationMode } from './registration-mode.ts';

/** Thrown in no protocol's shape: both that offer registration say it in their own. */
export class RegistrationRefused extends Error {
  override readonly name = 'RegistrationRefused';
  readonly reason: 'closed' | 'invite_required';

  constructor(reason: RegistrationRefused['reason']) {
    super(`registration refused: ${reason}`);
    this.reason = reason;
  }
}

export interface RegistrationOptions {
  mode: RegistrationMode;
  database: Database;
  owners: Owners;
  agents: Agents;
  keys: Keys;
  invites: Invites;
}

/** Runs after the commit and before the answer. The owner exists by then, so it must not throw. */
export type OwnerHook = (owner: Owner) => Promise<void>;

/** The ways in. Each is one transaction: account, first agent and key where there is one, and the invite it took. */
export class Registration {
  readonly #options: RegistrationOptions;
  readonly #hooks: OwnerHook[] = [];

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  get mode(): RegistrationMode {
    return this.#options.mode;
  }

  onOwnerCreated(hook: OwnerHook): void {
    this.#hooks.push(hook);
  }

  owner(email: string, invite: string | undefined): Promise<{ owner: Owner; apiKey: string }> {
    const { owners, keys } = this.#options;
    return this.#admit(invite, async (tx) => {
      const owner = await owners.fromEmail(tx, email);
      const { secret } = await keys.mint(tx, owner.id, null);
      return { owner, apiKey: secret };
    });
  }

  /** An account without a key, for whoever is given one later. */
  async account(email: string, invite: string | undefined): Promise<Owner> {
    const { owners } = this.#options;
    const { owner } = await this.#admit(invite, async (tx) => ({ owner: await owners.fromEmail(tx, email) }));
    return owner;
  }

  agent(
    name: string,
    invite: string | undefined,
  ): Promise<{ owner: Owner; agent: AgentRef; apiKey: string }> {
    const { owners, agents, keys } = this.#options;
    return this.#admit(invite, async (tx) => {
      const owner = await owners.fromName(tx, name);
      const agent = await agents.create(tx, owner.id, name);
      const { secret } = await keys.mint(tx, owner.id, agent.suffix, { scopes: FOUNDING_KEY_SCOPES });
      return { owner, agent, apiKey: secret };
    });
  }

  async #admit<T extends { owner: Owner }>(
    invite: string | undefined,
    register: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const registered = await this.#write(invite, register);
    for (const hook of this.#hooks) await hook(registered.owner);
    return registered;
  }

  /** The invite is taken first, so that nobody without one learns which email addresses are known. */
  async #write<T extends { owner: Owner }>(
    invite: string | undefined,
    register: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const { mode, database, invites } = this.#options;
    if (mode === 'closed') throw new RegistrationRefused('closed');
    if (mode === 'open') return await database.write(register);
    if (invite === undefined) throw new RegistrationRefused('invite_required');
    return await database.write(async (tx) => {
      if (!(await invites.use(tx, invite))) throw new RegistrationRefused('invite_required');
      const registered = await register(tx);
      await invites.remember(tx, invite, registered.owner.id);
      return registered;
    });
  }
}
