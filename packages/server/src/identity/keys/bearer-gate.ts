import { bearerToken } from '../../platform/auth/bearer.ts';
import type { Limiter } from '../../platform/limits/limiter.ts';
import type { IdentityService } from '../service.ts';
import type { Credentials } from './credentials.ts';

/**
 * From an `Authorization` header to a caller. Failures are counted per address, and beyond the limit they are told to
 * wait; a good credential always passes, because secrets are too long to guess and a neighbour behind the same address
 * must not be able to lock anyone out.
 */
export function bearerGate(credentials: Credentials, failures: Limiter): IdentityService['bearer'] {
  const failed: IdentityService['bearer']['failed'] = async (address) => {
    const verdict = await failures.take(address);
    if (verdict.ok) return undefined;
    const { ok: _ok, ...wait } = verdict;
    return { kind: 'limited', ...wait };
  };
  return {
    failed,
    async admit(authorization, address) {
      const token = bearerToken(authorization);
      if (token === undefined) return { kind: 'refused', reason: 'missing' };
      const identified = await credentials.identify(token);
      if (identified.kind === 'caller') return identified;
      return (await failed(address)) ?? { kind: 'refused', reason: identified.kind };
    },
  };
}
