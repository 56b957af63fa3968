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

const listedColumns = agentDeliveryTable.pick('agent', ...recipientColumns.names, 'status', 'last_seen_at');

export type ListedRecipientRow = RowOf<typeof listedColumns>;

/** The same of many, by suffix, with what a list shows beside it. */
export async function recipientRows(
  reader: Reader,
  suffixes: readonly string[],
): Promise<ReadonlyMap<string, ListedRecipientRow>> {
  if (suffixes.length === 0) return new Map();
  const rows = await agentDeliveryTable
    .from(reader)
    .select(listedColumns.names)
    .where('agent', 'in', [...new Set(suffixes)])
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.agent, row]));
}

const beats = agentDeliveryTable.pick('agent', 'bg_beat_at');

/** When the background handlers of agents were last heard of. */
export const backgroundBeats = (reader: Reader, agents: readonly string[]): Promise<RowOf<typeof beats>[]> =>
  beats.among(reader, 'agent', agents);
