import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

/** Slugs that were given up by renaming. Each leads to the last agent that had it, until another agent takes it. */
export async function giveUpSlug(
  tx: Tx,
  ownerId: string,
  { slug, agent, now }: { slug: string; agent: string; now: number },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO agent_former_slugs (owner_id, slug, agent, given_up_at)
    VALUES (${ownerId}, ${slug}, ${agent}, ${now})
    ON CONFLICT (owner_id, slug) DO UPDATE SET agent = excluded.agent, given_up_at = excluded.given_up_at`);
}

export async function takeSlug(tx: Tx, ownerId: string, slug: string): Promise<void> {
  await tx.run(sql`DELETE FROM agent_former_slugs WHERE owner_id = ${ownerId} AND slug = ${slug}`);
}

export async function formerSlugOf(
  reader: Reader,
  ownerId: string,
  slug: string,
): Promise<string | undefined> {
  return await reader.value<string>(sql`
    SELECT agent FROM agent_former_slugs WHERE owner_id = ${ownerId} AND slug = ${slug}`);
}
