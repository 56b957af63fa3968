import { ADMIN_SCOPE } from '@parley/protocol/identity/scopes';
import type { Caller } from '../wire/caller.ts';
import type { Log } from '../platform/log.ts';
import { peerIdOf } from './access.ts';

export type AuditFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** One line for each operation that succeeded: who did what to which subject. Never what was written. */
export class Audit {
  readonly #log: Log;
  readonly #module: string;

  constructor(log: Log, module = 'continuity') {
    this.#log = log;
    this.#module = module;
  }

  note(caller: Caller, operation: string, fields: AuditFields): void {
    this.#log.info('audit', {
      operation: `${this.#module}_${operation}`,
      owner: caller.ownerSlug,
      peer: peerIdOf(caller),
      ...(caller.scopes.includes(ADMIN_SCOPE) && { admin: true }),
      ...fields,
    });
  }
}
