import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface IdempotencyRow {
  readonly message_id: string;
  readonly fingerprint: string;
  readonly created_at: number;
}

export function readKey(reader: Reader, ownerId: string, key: string): Promise<IdempotencyRow | undefined> {
  return reader.get<IdempotencyRow>(sql`
    SELECT message_id, fingerprint, created_at FROM message_idempotency
    WHERE owner_id = ${ownerId} AND key = ${key}`);
}

/** True when the key is this message's now: it was free, or its window is over. */
export async function takeKey(
  tx: Tx,
  key: {
    ownerId: string;
    key: string;
    messageId: string;
    fingerprint: string;
    now: number;
    windowMs: number;
  },
): Promise<boolean> {
  const taken = await tx.run(sql`
    INSERT INTO message_idempotency (owner_id, key, message_id, fingerprint, created_at)
    VALUES (${key.ownerId}, ${key.key}, ${key.messageId}, ${key.fingerprint}, ${key.now})
    ON CONFLICT (owner_id, key) DO UPDATE SET
      message_id = excluded.message_id, fingerprint = excluded.fingerprint, created_at = excluded.created_at
    WHERE message_idempotency.created_at <= ${key.now - key.windowMs}`);
  return taken === 1;
}

export function deleteOldKeys(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`DELETE FROM message_idempotency WHERE created_at <= ${before}`);
}
