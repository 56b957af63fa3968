import type { Reader, Tx } from '../../../platform/database/database.ts';
import { sql } from '../../../platform/database/sql.ts';

export interface FireKeyRow {
  readonly cue_id: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly execution_id: string;
  readonly created_at: number;
}

/** What a key was used for after a time. */
export function fireKey(
  reader: Reader,
  cueId: string,
  key: string,
  after: number,
): Promise<FireKeyRow | undefined> {
  return reader.get<FireKeyRow>(sql`
    SELECT cue_id, key, fingerprint, execution_id, created_at FROM cue_fire_keys
    WHERE cue_id = ${cueId} AND key = ${key} AND created_at > ${after}`);
}

/** Over one whose time has passed. The cue is locked. */
export async function takeFireKey(tx: Tx, row: FireKeyRow): Promise<void> {
  await tx.run(sql`
    INSERT INTO cue_fire_keys (cue_id, key, fingerprint, execution_id, created_at)
    VALUES (${row.cue_id}, ${row.key}, ${row.fingerprint}, ${row.execution_id}, ${row.created_at})
    ON CONFLICT (cue_id, key) DO UPDATE SET
      fingerprint = excluded.fingerprint, execution_id = excluded.execution_id, created_at = excluded.created_at`);
}

export async function deleteOldFireKeys(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM cue_fire_keys WHERE created_at <= ${before}`);
}
