import { ADMIN_SCOPE } from '@parley/protocol/identity/scopes';
import type { Caller } from '../wire/caller.ts';
import type { Log } from '../platform/log.ts';
import { peerIdOf } from './access.ts';

export type AuditFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export type Audit = (caller: Caller, operation: string, fields: AuditFields) => void;

/** One line for each operation that succeeded: who did what to which subject. Never what was written. */
export const auditIn =
  (log: Log, module: string): Audit =>
  (caller, operation, fields) =>
    log.info('audit', {
      operation: `${module}_${operation}`,
      owner: caller.ownerSlug,
      peer: peerIdOf(caller),
      ...(caller.scopes.includes(ADMIN_SCOPE) && { admin: true }),
      ...fields,
    });
