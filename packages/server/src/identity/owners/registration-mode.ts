import { ConfigError } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { isLoopbackName } from '../../platform/http/entrance.ts';

export type RegistrationMode = 'open' | 'invite' | 'closed';

type Needed = Pick<Config, 'host' | 'registration' | 'allowOpenRegistration'>;

/**
 * Who may register. Unset: anyone on this machine, by invite from elsewhere. Open to the world only when the operator
 * says so twice, since an account costs nothing and everything else follows from it.
 */
export function registrationMode({ host, registration, allowOpenRegistration }: Needed): RegistrationMode {
  const local = isLoopbackName(host.replace(/^\[(.*)\]$/, '$1').toLowerCase());
  if (registration === 'auto') return local ? 'open' : 'invite';
  if (registration === 'open' && !local && !allowOpenRegistration) {
    throw new ConfigError(
      `registration: open lets anyone who reaches ${host} make accounts; use invite, listen on 127.0.0.1, ` +
        'or set allow_open_registration to on',
    );
  }
  return registration;
}
