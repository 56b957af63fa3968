import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { before, type Place } from './place.ts';

interface Tables {
  agent_delivery: { agent: string; owner_id: string; created_at: number; deleted_at: number | null };
}

/** Suffixes, newest first. */
export async function agentsLately(
  reader: Reader,
  { ownerId, after, limit }: { ownerId: string | undefined; after: Place | undefined; limit: number },
): Promise<{ agent: string; created_at: number }[]> {
  let query = reader
    .kysely<Tables>()
    .selectFrom('agent_delivery')
    .select(['agent', 'created_at'])
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('agent', 'desc')
    .limit(limit);
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (after) query = query.where(before('created_at', 'agent', after));
  return await query.execute();
}

/** Whose a message, an execution or a cue is: the recipient's owner, or that of the cue. */
export async function ownerOf(
  reader: Reader,
  id: string,
): Promise<{ owner: string; other?: string } | undefined> {
  if (id.startsWith('msg_'))
    return await reader.get(
      sql`SELECT recipient_owner AS owner, sender_owner AS other FROM messages WHERE id = ${id}`,
    );
  if (id.startsWith('cue_'))
    return await reader.get(sql`SELECT owner_id AS owner FROM cues WHERE id = ${id}`);
  return await reader.get(sql`SELECT owner_id AS owner FROM executions WHERE id = ${id}`);
}
