import { given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { agentDeliveryTable } from '../agents/agent-record.ts';
import { pageAfter, type Place } from './place.ts';

/** Suffixes, newest first. */
export async function agentsLately(
  reader: Reader,
  { ownerId, ...page }: { ownerId: string | undefined; after: Place | undefined; limit: number },
): Promise<{ agent: string; created_at: number }[]> {
  return await agentDeliveryTable
    .from(reader)
    .select(['agent', 'created_at'])
    .where('deleted_at', 'is', null)
    .where((is) => is.and(given({ owner_id: ownerId })))
    .$call(pageAfter('created_at', 'agent', page))
    .execute();
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
