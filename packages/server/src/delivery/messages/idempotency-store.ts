import type { Reader, Tx } from '../../platform/database/database.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const keyTable = table('message_idempotency', {
  ownerId: column<string>(),
  key: column<string>(),
  messageId: column<string>(),
  fingerprint: column<string>(),
  createdAt: column<number>(),
});

const taken = keyTable.pick('messageId', 'fingerprint', 'createdAt');
type TakenKey = RowOf<typeof taken>;

export function readKey(reader: Reader, ownerId: string, key: string): Promise<TakenKey | undefined> {
  return reader.get<TakenKey>(taken.select`WHERE owner_id = ${ownerId} AND key = ${key}`);
}

/** True when the key is this message's now: it was free, or its window is over. */
export async function takeKey(tx: Tx, key: RowOf<typeof keyTable>, windowMs: number): Promise<boolean> {
  const changed = await tx.run(keyTable.inserting(key)`
    ON CONFLICT (owner_id, key) DO UPDATE SET
      message_id = excluded.message_id, fingerprint = excluded.fingerprint, created_at = excluded.created_at
    WHERE message_idempotency.created_at <= ${key.createdAt - windowMs}`);
  return changed === 1;
}

export function deleteOldKeys(tx: Tx, before: number): Promise<number> {
  return tx.run(keyTable.delete`WHERE created_at <= ${before}`);
}
