import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, table } from '../../platform/database/table.ts';

/** Slugs that were given up by renaming. Each leads to the last agent that had it, until another agent takes it. */
const formerSlugs = table('agent_former_slugs', {
  owner_id: column<string>(),
  slug: column<string>(),
  agent: column<string>(),
  given_up_at: column<number>(),
});
const put = formerSlugs.upsert('owner_id', 'slug');

export async function giveUpSlug(
  tx: Tx,
  ownerId: string,
  { slug, agent, now }: { slug: string; agent: string; now: number },
): Promise<void> {
  await tx.run(put({ owner_id: ownerId, slug, agent, given_up_at: now }));
}

export async function takeSlug(tx: Tx, ownerId: string, slug: string): Promise<void> {
  await tx.run(formerSlugs.delete`WHERE owner_id = ${ownerId} AND slug = ${slug}`);
}

export async function formerSlugOf(
  reader: Reader,
  ownerId: string,
  slug: string,
): Promise<string | undefined> {
  return await reader.value<string>(sql`
    SELECT agent FROM agent_former_slugs WHERE owner_id = ${ownerId} AND slug = ${slug}`);
}
