import type { Budgets } from '../config/budgets.ts';
import type { Plans } from '../config/plans.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Limiter } from '../platform/limits/limiter.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { Admission, Caller, CallerGate } from '../wire/caller.ts';
import type { Agents } from './agents/agents.ts';
import type { Credentials } from './keys/credentials.ts';
import type { RequestLimits } from './keys/request-limits.ts';
import type { RegistrationMode } from './owners/registration-mode.ts';
import type { OwnerBudget } from '../config/owner-budget.ts';

/** What counts against the plan. The delivery module counts; without it nothing is used. */
export interface Usage {
  /** Active or paused. */
  readonly activeCues: number;
  readonly executionsThisMonth: number;
  readonly messagesThisMonth: number;
}

/** What an owner has at a time, as modules count it. */
export interface Held {
  /** In every status. */
  readonly cues: number;
  readonly liveSessions: number;
  readonly documents: number;
  /** Of this month, as they were reported. */
  readonly outcomes: { readonly succeeded: number; readonly failed: number };
}

export interface Owner {
  readonly id: string;
  readonly slug: string;
  readonly email: string | null;
}

/** A link that is to reach the holder of an address, and nobody else. */
export interface LoginLink {
  readonly email: string;
  readonly url: string;
}

/** What other modules add to here. */
interface IdentityHooks {
  /** Runs after the commit and before the answer. The owner exists by then, so it must not throw. */
  readonly ownerCreated: ((owner: Owner) => Promise<void>)[];
  /** In the transaction in which an agent goes. */
  readonly agentDeleted: ((tx: Tx, suffix: string) => Promise<void>)[];
  /** Modules that count say here what an owner has used; where two count the same, the later one holds. */
  readonly usage: ((ownerId: string) => Promise<Partial<Usage>>)[];
  /** What is there at a time is counted only for those who ask how much it is: counting walks over all of it. */
  readonly held: ((ownerId: string) => Promise<Partial<Held>>)[];
  /** Where the links of device logins go. To the mailer, or to the operator where there is none. */
  readonly loginLink: ((link: LoginLink) => void)[];
}

/** Owners, agents, keys and sessions: who calls, for the whole server. Its rules are functions over this. */
export interface IdentityService
  extends CallerGate,
    Module,
    Pick<
      Platform,
      'config' | 'database' | 'clock' | 'random' | 'bus' | 'secrets' | 'addressRules' | 'resolve'
    > {
  readonly bearer: CallerGate['bearer'] & {
    /** Counts one failed attempt, also of credentials that other modules know; says so when there were too many. */
    failed(address: string): Promise<Extract<Admission, { kind: 'limited' }> | undefined>;
  };
  readonly registrationMode: RegistrationMode;
  readonly plans: Plans;
  readonly budgets: Budgets;
  /** Each counts by client address. */
  readonly limiters: Readonly<Record<'registrations' | 'failedLogins' | 'failedBearers', Limiter>>;
  readonly requestLimits: RequestLimits;
  readonly credentials: Credentials;
  readonly directory: Agents;
  /** The texts of all protocols together. */
  readonly storedBytes: OwnerBudget;
  readonly hooks: IdentityHooks;
  /** With registration by invite, every start makes a code for the operator: to be shown, and never logged. */
  readonly startInvite: string | undefined;
  /** Who stands behind an API key or a session token. */
  authenticate(bearer: string): Promise<Caller | undefined>;
  ownerBySlug(slug: string): Promise<string | undefined>;
  /** Empty for one that is gone. */
  ownerSlug(ownerId: string): Promise<string>;
  /** By id. */
  ownerSlugs(ownerIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The first of all owners. */
  oldestOwners(limit: number): Promise<{ id: string; slug: string }[]>;
  /** Those whose slug begins so. */
  ownersStartingWith(text: string, limit: number): Promise<{ id: string; slug: string }[]>;
}
