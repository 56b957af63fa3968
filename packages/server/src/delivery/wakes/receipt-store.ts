import type { WakeKind } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

export const receiptTable = table('wake_receipts', {
  agent: column<string>(),
  kind: column<WakeKind>(),
  /** Of the message, execution or handoff, or the room and its turn. */
  ref: column<string>(),
  bridge: column<string | null>(),
  delivered_at: column<number>(),
  invoked_at: column<number | null>(),
  resumed_at: column<number | null>(),
  updated_at: column<number>(),
});

export type ReceiptRow = RowOf<typeof receiptTable>;

export function findReceipt(
  reader: Reader,
  agent: string,
  { kind, ref }: Pick<ReceiptRow, 'kind' | 'ref'>,
): Promise<ReceiptRow | undefined> {
  return reader.get<ReceiptRow>(
    receiptTable.select`WHERE agent = ${agent} AND kind = ${kind} AND ref = ${ref}`,
  );
}

export const putReceipt = receiptTable.upsert('agent', 'kind', 'ref');

/** All but the newest. */
export async function forgetOlder(tx: Tx, agent: string, kept: number): Promise<void> {
  await tx.run(sql`
    DELETE FROM wake_receipts WHERE agent = ${agent} AND updated_at < (
      SELECT updated_at FROM wake_receipts WHERE agent = ${agent}
      ORDER BY updated_at DESC, ref LIMIT 1 OFFSET ${kept - 1})`);
}

export function newestReceipts(reader: Reader, agent: string, limit: number): Promise<ReceiptRow[]> {
  return reader.all<ReceiptRow>(
    receiptTable.select`WHERE agent = ${agent} ORDER BY updated_at DESC, ref LIMIT ${limit}`,
  );
}
