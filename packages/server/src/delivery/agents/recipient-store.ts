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
