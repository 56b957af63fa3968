import type { Reader, Tx } from '../../../platform/database/database.ts';
import { sql } from '../../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../../platform/database/table.ts';

const fireKeyTable = table('cue_fire_keys', {
  cue_id: column<string>(),
  key: column<string>(),
  fingerprint: column<string>(),
  execution_id: column<string>(),
  created_at: column<number>(),
});

type FireKeyRow = RowOf<typeof fireKeyTable>;

/** Over one whose time has passed. The cue is locked. */
export const takeFireKey = fireKeyTable.upsert('cue_id', 'key');

/** What a key was used for after a time. */
export function fireKey(
  reader: Reader,
  cueId: string,
  key: string,
  after: number,
): Promise<FireKeyRow | undefined> {
  return reader.get<FireKeyRow>(fireKeyTable.select`
    WHERE cue_id = ${cueId} AND key = ${key} AND created_at > ${after}`);
}

export async function deleteOldFireKeys(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM cue_fire_keys WHERE created_at <= ${before}`);
}
