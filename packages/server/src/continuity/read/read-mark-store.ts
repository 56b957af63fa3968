import type { Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

/** When a subject was last read. */
export interface Mark {
  readonly ownerId: string;
  readonly kind: string;
  readonly slug: string;
  readonly at: number;
}

export async function putMark(tx: Tx, { ownerId, kind, slug, at }: Mark): Promise<void> {
  await tx.run(sql`
    INSERT INTO continuity_reads (owner_id, kind, slug, read_at) VALUES (${ownerId}, ${kind}, ${slug}, ${at})
    ON CONFLICT (owner_id, kind, slug) DO UPDATE SET read_at = excluded.read_at
    WHERE continuity_reads.read_at < excluded.read_at`);
}
