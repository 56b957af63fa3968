import { budgetsOf } from '../config/budgets.ts';
import { plansOf } from '../config/plans.ts';
import { type Config, variableName } from '../config/settings.ts';
import type { SecretBox } from '../platform/auth/secret-box.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Random } from '../platform/ids.ts';
import type { Limits } from '../platform/limits/limits.ts';
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

export function createIdentityService(
  platform: IdentityDependencies,
  registration: RegistrationMode,
): IdentityService {
  const { config, log, limits, addressRules, resolve } = platform;
  const plans = plansOf(config);
  const perMinute = (
    name: string,
    setting: 'rlRegistrationsPerMinute' | 'rlFailedLoginsPerMinute' | 'rlFailedAuthPerMinute',
    byAddress = false,
  ) =>
    sparingLoopback(
      limits.slidingWindow(name, {
        limit: config[setting],
        windowMs: MINUTE,
        setting: variableName(setting),
        byAddress,
      }),
      config.rlExemptLoopback,
    );
  return new IdentityService({
    ...platform,
    registration,
    plan: config.defaultPlan,
    plans,
    budgets: budgetsOf(config),
    internalToken: config.internalToken,
    checkUrl: (url) => checkStoredUrl(url, addressRules, resolve),
    limiters: {
      registrations: perMinute('identity.register', 'rlRegistrationsPerMinute', true),
      failedLogins: perMinute('identity.login', 'rlFailedLoginsPerMinute'),
      failedBearers: perMinute('identity.bearer', 'rlFailedAuthPerMinute'),
    },
    requestLimits: new RequestLimits({ ...platform, plans }),
    onError: (error) => log.error('identity_write_failed', errorFields(error)),
  });
}
