import type { Tx } from '../../platform/database/database.ts';

/** When a subject was last read. */
export interface Mark {
  readonly owner_id: string;
  readonly kind: string;
  readonly slug: string;
  readonly read_at: number;
}

/** Each stands unless a later one is stored. */
export async function putMarks(tx: Tx, marks: ReadonlyMap<string, Mark>): Promise<void> {
  await tx
    .kysely<{ continuity_reads: Mark }>()
    .insertInto('continuity_reads')
    .values([...marks.values()])
    .onConflict((on) =>
      on
        .columns(['owner_id', 'kind', 'slug'])
        .doUpdateSet((row) => ({ read_at: row.ref('excluded.read_at') }))
        .whereRef('continuity_reads.read_at', '<', 'excluded.read_at'),
    )
    .execute();
}
