import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/clock.ts';
import type { ConsoleRole } from '@parley/protocol/console/session-routes';
import { insertAudit } from './audit-store.ts';

export interface AuditLine {
  /** Whose it concerns; null: the server as a whole. */
  readonly ownerId: string | null;
  readonly actor: ConsoleRole;
  readonly action: string;
  /** What was looked at or changed, by its path; never a text of it. */
  readonly object: string;
}

const LONGEST_OBJECT = 300;

/** Written before the answer: what an owner can see must not depend on whether the server lived on. */
export async function noteAudit(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { ownerId, actor, action, object }: AuditLine,
): Promise<void> {
  await database.write((tx) =>
    insertAudit(tx, {
      at: clock.now(),
      owner_id: ownerId,
      actor,
      action,
      object: object.slice(0, LONGEST_OBJECT),
    }),
  );
}
