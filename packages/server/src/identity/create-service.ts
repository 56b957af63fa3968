import { budgetsOf } from '../config/budgets.ts';
import { OwnerBudget } from '../config/owner-budget.ts';
import { plansOf } from '../config/plans.ts';
import { limitOf, type NumberSetting } from '../config/settings.ts';
import { WriteBehind } from '../platform/database/write-behind.ts';
import { bothLimits } from '../platform/limits/both-limits.ts';
import type { Limiter } from '../platform/limits/limiter.ts';
import { sparingLoopback } from '../platform/limits/limits.ts';
import type { Platform } from '../platform.ts';
import { mailLink } from './device-login/login-mail.ts';
import { Agents } from './agents/agents.ts';
import { bearerGate } from './keys/bearer-gate.ts';
import { Credentials } from './keys/credentials.ts';
import { setLastUsed } from './keys/key-store.ts';
import { RequestLimits } from './keys/request-limits.ts';
import { nearQuota } from './owners/account.ts';
import { integratorGate } from './owners/integrator.ts';
import { createInvite } from './owners/invites.ts';
import { oldestOwners, ownersStartingWith, readOwner, slugOwner } from './owners/owner-store.ts';
import type { RegistrationMode } from './owners/registration-mode.ts';
import type { IdentityService } from './service.ts';
import { HOUR, MINUTE } from '../platform/units.ts';

export function createIdentityService(
  platform: Platform,
  registrationMode: RegistrationMode,
): IdentityService {
  const { config, log, limits, database, clock, cluster, mailer } = platform;
  const plans = plansOf(config);
  const budgets = budgetsOf(config);
  const window = (name: string, setting: NumberSetting, windowMs: number, byAddress = false) =>
    limits.slidingWindow(name, { ...limitOf(config, setting), windowMs, byAddress });
  const sparing = (limiter: Limiter) => sparingLoopback(limiter, config.rlExemptLoopback);
  const limiters = {
    registrations: sparing(
      bothLimits(
        window('identity.register', 'rlRegistrationsPerMinute', MINUTE, true),
        window('identity.register_hour', 'rlRegistrationsPerHour', HOUR, true),
      ),
    ),
    failedLogins: sparing(window('identity.login', 'rlFailedLoginsPerMinute', MINUTE)),
    failedBearers: sparing(window('identity.bearer', 'rlFailedAuthPerMinute', MINUTE)),
  };
  /** By the id of a key, in Unix milliseconds. */
  const lastUsed = new WriteBehind<number>({
    database,
    clock,
    everyMs: MINUTE,
    store: setLastUsed,
    onError: log.failed('identity_write_failed'),
  });
  const credentials = new Credentials({ database, clock, lastUsed });
  const hooks: IdentityService['hooks'] = {
    ownerCreated: [],
    agentDeleted: [],
    usage: [],
    held: [],
    loginLink: mailer ? [(link) => void mailLink(mailer, link, log)] : [],
  };
  const directory = new Agents(platform);
  let startInvite: string | undefined;
  return {
    ...platform,
    registrationMode,
    plans,
    budgets,
    limiters,
    credentials,
    bearer: bearerGate(credentials, limiters.failedBearers),
    integrator: integratorGate(database, config.internalToken),
    requestLimits: new RequestLimits({ ...platform, plans }),
    directory,
    storedBytes: new OwnerBudget(clock, budgets.bytes, () => cluster.others().length + 1),
    hooks,
    nearQuota: (caller) => nearQuota({ plans, hooks }, caller),
    async authenticate(bearer) {
      const identified = await credentials.identify(bearer);
      return identified.kind === 'caller' ? identified.caller : undefined;
    },
    ownerBySlug: (slug) => slugOwner(database.read, slug),
    ownerSlug: async (ownerId) => (await readOwner(database.read, ownerId))?.slug ?? '',
    ownerSlugs: (ownerIds) => directory.ownerSlugs(database.read, ownerIds),
    oldestOwners: (limit) => oldestOwners(database.read, limit),
    ownersStartingWith: (text, limit) => ownersStartingWith(database.read, text, limit),
    get startInvite() {
      return startInvite;
    },
    async start() {
      if (registrationMode === 'invite') startInvite = (await createInvite(platform)).code;
    },
    release: () => undefined,
    close: () => lastUsed.close(),
  };
}
