import { budgetsOf } from '../config/budgets.ts';
import { plansOf } from '../config/plans.ts';
import { type Config, variableName } from '../config/settings.ts';
import type { SecretBox } from '../platform/auth/secret-box.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Random } from '../platform/ids.ts';
import type { Limiter } from '../platform/limits/limiter.ts';
import type { Limits } from '../platform/limits/limits.ts';
import { bothLimits } from '../platform/limits/both-limits.ts';
import { sparingLoopback } from '../platform/limits/sparing-loopback.ts';
import { errorFields, type Log } from '../platform/log.ts';
import type { AddressRules } from '../platform/outbound/address-rules.ts';
import type { Resolver } from '../platform/outbound/resolver.ts';
import { checkStoredUrl } from '../platform/outbound/stored-url.ts';
import type { RegistrationMode } from './owners/registration-mode.ts';
import { RequestLimits } from './keys/request-limits.ts';
import { IdentityService } from './service.ts';

export interface IdentityDependencies {
  config: Config;
  log: Log;
  clock: Clock;
  random: Random;
  limits: Limits;
  bus: Bus;
  database: Database;
  secrets: SecretBox;
  addressRules: AddressRules;
  resolve: Resolver;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type IdentityRate =
  | 'rlRegistrationsPerMinute'
  | 'rlRegistrationsPerHour'
  | 'rlFailedLoginsPerMinute'
  | 'rlFailedAuthPerMinute';

export function createIdentityService(
  platform: IdentityDependencies,
  registration: RegistrationMode,
): IdentityService {
  const { config, log, limits, addressRules, resolve } = platform;
  const plans = plansOf(config);
  const window = (name: string, setting: IdentityRate, windowMs: number, byAddress = false) =>
    limits.slidingWindow(name, {
      limit: config[setting],
      windowMs,
      setting: variableName(setting),
      byAddress,
    });
  const sparing = (limiter: Limiter) => sparingLoopback(limiter, config.rlExemptLoopback);
  return new IdentityService({
    ...platform,
    registration,
    plan: config.defaultPlan,
    plans,
    budgets: budgetsOf(config),
    internalToken: config.internalToken,
    checkUrl: (url) => checkStoredUrl(url, addressRules, resolve),
    limiters: {
      registrations: sparing(
        bothLimits(
          window('identity.register', 'rlRegistrationsPerMinute', MINUTE, true),
          window('identity.register_hour', 'rlRegistrationsPerHour', HOUR, true),
        ),
      ),
      failedLogins: sparing(window('identity.login', 'rlFailedLoginsPerMinute', MINUTE)),
      failedBearers: sparing(window('identity.bearer', 'rlFailedAuthPerMinute', MINUTE)),
    },
    requestLimits: new RequestLimits({ ...platform, plans }),
    onError: (error) => log.error('identity_write_failed', errorFields(error)),
  });
}
