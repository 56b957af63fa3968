import type { Channel, InboundPolicy } from '@parley/protocol/delivery/vocabulary';
import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

/** What every message asks about its recipient, and no more: it is read for each of them. */
export interface RecipientRow {
  readonly owner_id: string;
  readonly parent: string | null;
  /** JSON text; null: never declared. */
  readonly capabilities: string | null;
  readonly preferred_contact: Channel | null;
  readonly webhook_url: string | null;
  readonly inbound_policy: InboundPolicy | null;
  readonly inbound_allow: string;
  readonly bg_task: string;
  readonly bg_beat_at: number | null;
}

export function recipientRow(reader: Reader, suffix: string): Promise<RecipientRow | undefined> {
  return reader.get<RecipientRow>(sql`
    SELECT owner_id, parent, capabilities, preferred_contact, webhook_url, inbound_policy, inbound_allow, bg_task,
      bg_beat_at
    FROM agent_delivery WHERE agent = ${suffix} AND deleted_at IS NULL`);
}
