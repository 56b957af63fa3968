import type { PlanName } from '@parley/protocol/delivery/plans';
import type { Budgets } from '../config/budgets.ts';
import type { Plans } from '../config/plans.ts';
import type { SecretBox } from '../platform/auth/secret-box.ts';
import type { Bus, Unsubscribe } from '../platform/bus/bus.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Random } from '../platform/ids.ts';
import type { Limiter } from '../platform/limits/limiter.ts';
import type { StoredUrlVerdict } from '../platform/outbound/stored-url.ts';
import { usageAnswer } from './owners/usage.ts';
import { Account, type Held, type Usage } from './owners/account.ts';
import { StoredBytes } from './owners/stored-bytes.ts';
import { AccountSecrets } from './owners/account-secrets.ts';
import { AgentChanges } from './agents/agent-changes.ts';
import { Agents } from './agents/agents.ts';
import { BearerGate } from './keys/bearer-gate.ts';
import type { AgentRef, Caller, CallerGate, Credential } from '../wire/caller.ts';
import type { Module } from '../platform/module.ts';
import { Credentials } from './keys/credentials.ts';
import { DeviceLogins } from './device-login/device-logins.ts';
import { Integrator } from './owners/integrator.ts';
import { Invites } from './owners/invites.ts';
import { Keys } from './keys/keys.ts';
import { type LastUsed, lastUsedOf } from './keys/last-used.ts';
import { oldestOwners, slugOwner } from './owners/owner-store.ts';
import { Owners } from './owners/owners.ts';
import type { RequestLimits } from './keys/request-limits.ts';
import { Registration } from './owners/registration.ts';
import type { RegistrationMode } from './owners/registration-mode.ts';
import { Revocations } from './keys/revocations.ts';
import { Sessions } from './keys/sessions.ts';

export interface IdentityOptions {
  database: Database;
  clock: Clock;
  random: Random;
  bus: Bus;
  secrets: SecretBox;
  registration: RegistrationMode;
  /** Of new owners. */
  plan: PlanName;
  plans: Plans;
  budgets: Budgets;
  checkUrl: (url: string) => Promise<StoredUrlVerdict>;
  limiters: IdentityLimiters;
  requestLimits: RequestLimits;
  internalToken: string | undefined;
  onError: (error: unknown) => void;
}

/** Each counts by client address. */
export interface IdentityLimiters {
  readonly registrations: Limiter;
  readonly failedLogins: Limiter;
  readonly failedBearers: Limiter;
}

const NOTHING_USED: Usage = {
  activeCues: 0,
  executionsThisMonth: 0,
  messagesThisMonth: 0,
};

const NOTHING_HELD: Held = { liveSessions: 0, documents: 0 };

/** Owners, agents, keys and sessions: who calls, for the whole server. */
export class IdentityService implements CallerGate, Module {
  readonly account: Account;
  readonly accountSecrets: AccountSecrets;
  readonly deviceLogins: DeviceLogins;
  readonly agentChanges: AgentChanges;
  readonly bearer: BearerGate;
  readonly directory: Agents;
  readonly integrator: Integrator;
  readonly invites: Invites;
  readonly keys: Keys;
  readonly limiters: IdentityLimiters;
  readonly registration: Registration;
  readonly requestLimits: RequestLimits;
  readonly sessions: Sessions;
  readonly storedBytes: StoredBytes;
  readonly #credentials: Credentials;
  readonly #database: Database;
  readonly #parts: Pick<IdentityOptions, 'clock' | 'budgets'>;
  readonly #revocations: Revocations;
  readonly #lastUsed: LastUsed;
  readonly #counters: ((ownerId: string) => Promise<Partial<Usage>>)[] = [];
  readonly #heldCounters: ((ownerId: string) => Promise<Partial<Held>>)[] = [];
  #startInvite: string | undefined;

  constructor(options: IdentityOptions) {
    const { database, clock, limiters } = options;
    this.limiters = limiters;
    this.requestLimits = options.requestLimits;
    this.integrator = new Integrator(database, options.internalToken);
    this.#database = database;
    this.#parts = options;
    this.#lastUsed = lastUsedOf(options);
    this.#revocations = new Revocations(options.bus);
    this.#credentials = new Credentials({ database, clock, lastUsed: this.#lastUsed });
    this.bearer = new BearerGate(this.#credentials, limiters.failedBearers);
    const shared = { ...options, revocations: this.#revocations, credentials: this.#credentials };
    this.directory = new Agents(options);
    this.agentChanges = new AgentChanges(shared);
    this.keys = new Keys(shared);
    this.sessions = new Sessions({ ...shared, agents: this.directory });
    this.invites = new Invites(options);
    this.storedBytes = new StoredBytes(clock, options.budgets.bytes);
    this.accountSecrets = new AccountSecrets(options);
    this.account = new Account({
      ...options,
      accountSecrets: this.accountSecrets,
      usage: (ownerId) => this.#usage(ownerId),
    });
    this.registration = new Registration({
      database,
      mode: options.registration,
      owners: new Owners(options),
      agents: this.directory,
      keys: this.keys,
      invites: this.invites,
    });
    this.deviceLogins = new DeviceLogins({ ...options, keys: this.keys, registration: this.registration });
  }

  /** What the caller's owner has used, and may use. */
  async usage(caller: Caller): Promise<object> {
    const { ownerId } = caller;
    const { clock, budgets } = this.#parts;
    const [view, held, agents, keys, bytes, requests] = await Promise.all([
      this.account.read(ownerId),
      this.#held(ownerId),
      this.directory.count(this.#database.read, ownerId),
      this.keys.count(ownerId),
      this.storedBytes.count(this.#database.read, ownerId),
      this.requestLimits.standing(caller),
    ]);
    return usageAnswer({ view, now: clock.now(), budgets, held: { ...held, agents, keys, bytes }, requests });
  }

  /** Who stands behind an API key or a session token. */
  async authenticate(bearer: string): Promise<Caller | undefined> {
    const identified = await this.#credentials.identify(bearer);
    return identified.kind === 'caller' ? identified.caller : undefined;
  }

  /** The bound agent, or the owner's `self`, made on first use. */
  actingAgent(caller: Caller): Promise<AgentRef> {
    return this.directory.acting(caller);
  }

  agents(suffixes: readonly string[]): Promise<Map<string, AgentRef>> {
    return this.directory.bySuffix(suffixes);
  }

  /** For streams, which outlive the request that was checked. */
  stillValid(credential: Pick<Credential, 'kind' | 'id'>): Promise<boolean> {
    return this.#credentials.stillValid(credential);
  }

  /** Told after the commit, on every node, with the id of a key or a session that is over. */
  onRevoked(listener: (credentialId: string) => void): Unsubscribe {
    return this.#revocations.onRevoked(listener);
  }

  ownerBySlug(slug: string): Promise<string | undefined> {
    return slugOwner(this.#database.read, slug);
  }

  /** The first of all owners. */
  oldestOwners(limit: number): Promise<{ id: string; slug: string }[]> {
    return oldestOwners(this.#database.read, limit);
  }

  /** Modules that count say here what an owner has used; where two count the same, the later one holds. */
  countUsage(counter: (ownerId: string) => Promise<Partial<Usage>>): void {
    this.#counters.push(counter);
  }

  /** What is there at a time is counted only for those who ask how much it is: counting walks over all of it. */
  countHeld(counter: (ownerId: string) => Promise<Partial<Held>>): void {
    this.#heldCounters.push(counter);
  }

  async #held(ownerId: string): Promise<Held> {
    const counted = await Promise.all(this.#heldCounters.map((counter) => counter(ownerId)));
    return Object.assign({}, NOTHING_HELD, ...counted) as Held;
  }

  async #usage(ownerId: string): Promise<Usage> {
    const counted = await Promise.all(this.#counters.map((counter) => counter(ownerId)));
    return Object.assign({}, NOTHING_USED, ...counted) as Usage;
  }

  /** With registration by invite, every start makes a code for the operator. */
  async start(): Promise<void> {
    if (this.registration.mode === 'invite') this.#startInvite = (await this.invites.create()).code;
  }

  /** To be shown to the operator, and never logged. */
  get startInvite(): string | undefined {
    return this.#startInvite;
  }

  release(): void {
    // Nobody waits here.
  }

  /** Writes what is still only in memory. */
  async close(): Promise<void> {
    await this.#lastUsed.close();
  }
}
