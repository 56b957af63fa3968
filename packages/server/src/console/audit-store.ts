import type { ConsoleRole } from '@parley/protocol/console/session-routes';
import type { Reader, Tx } from '../platform/database/database.ts';
import { column, generated, type NewRowOf, type RowOf, table } from '../platform/database/table.ts';

const auditTable = table('console_audit', {
  id: generated<number>(),
  at: column<number>(),
  /** Whose it concerns; null: the server as a whole. */
  ownerId: column<string | null>(),
  actor: column<ConsoleRole>(),
  action: column<string>(),
  /** What was looked at or changed, by its path; never a text of it. */
  object: column<string>(),
});

export type AuditRow = RowOf<typeof auditTable>;
export type NewAudit = NewRowOf<typeof auditTable>;

export async function insertAudit(tx: Tx, row: NewAudit): Promise<void> {
  await tx.run(auditTable.insert(row));
}

/** Newest first, before an id; of one owner, or of all. */
export function auditBefore(
  reader: Reader,
  ownerId: string | undefined,
  before: number,
  limit: number,
): Promise<AuditRow[]> {
  return ownerId === undefined
    ? reader.all<AuditRow>(auditTable.select`WHERE id < ${before} ORDER BY id DESC LIMIT ${limit}`)
    : reader.all<AuditRow>(
        auditTable.select`WHERE owner_id = ${ownerId} AND id < ${before} ORDER BY id DESC LIMIT ${limit}`,
      );
}
