import type { Reader } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { agentDeliveryTable } from './agent-record.ts';

/** What every message asks about its recipient, and no more: it is read for each of them. */
const recipientColumns = agentDeliveryTable.pick(
  'owner_id',
  'parent',
  'capabilities',
  'preferred_contact',
  'webhook_url',
  'inbound_policy',
  'inbound_allow',
  'bg_task',
  'bg_beat_at',
);

export type RecipientRow = RowOf<typeof recipientColumns>;

export function recipientRow(reader: Reader, suffix: string): Promise<RecipientRow | undefined> {
  return reader.get<RecipientRow>(recipientColumns.select`WHERE agent = ${suffix} AND deleted_at IS NULL`);
}

interface Tables {
  agent_delivery: { agent: string; bg_beat_at: number | null };
}

/** When the background handlers of agents were last heard of. */
export async function backgroundBeats(
  reader: Reader,
  agents: readonly string[],
): Promise<Tables['agent_delivery'][]> {
  if (agents.length === 0) return [];
  return await reader
    .kysely<Tables>()
    .selectFrom('agent_delivery')
    .select(['agent', 'bg_beat_at'])
    .where('agent', 'in', [...new Set(agents)])
    .execute();
}
