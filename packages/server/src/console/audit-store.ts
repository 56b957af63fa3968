import type { Reader, Tx } from '../platform/database/database.ts';
import { column, generated, type NewRowOf, type RowOf, table } from '../platform/database/table.ts';

const auditTable = table('console_audit', {
  id: generated<number>(),
  at: column<number>(),
  owner_id: column<string | null>(),
  actor: column<'operator' | 'owner'>(),
  action: column<string>(),
  object: column<string>(),
});

export type AuditRow = RowOf<typeof auditTable>;

export async function insertAudit(tx: Tx, row: NewRowOf<typeof auditTable>): Promise<void> {
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
