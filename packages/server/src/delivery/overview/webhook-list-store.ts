import type { NotNull } from 'kysely';
import { given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { agentDeliveryTable } from '../agents/agent-record.ts';
import { subscriptionTable } from '../events/subscription-store.ts';

/** Agents that are reached by a webhook, newest first. */
export const agentEndpoints = (reader: Reader, ownerId: string | undefined, limit: number) =>
  agentDeliveryTable
    .from(reader)
    .select(['agent', 'owner_id', 'webhook_url', 'created_at'])
    .where('webhook_url', 'is not', null)
    .where('deleted_at', 'is', null)
    .where((is) => is.and(given({ owner_id: ownerId })))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .$narrowType<{ webhook_url: NotNull }>()
    .execute();

/** Subscriptions to events that are posted somewhere, newest first. */
export const eventEndpoints = (reader: Reader, ownerId: string | undefined, limit: number) =>
  subscriptionTable
    .from(reader)
    .select(['id', 'owner_id', 'agent', 'event_type', 'webhook_url', 'paused_until', 'created_at'])
    .where('webhook_url', 'is not', null)
    .where('detached_at', 'is', null)
    .where((is) => is.and(given({ owner_id: ownerId })))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .$narrowType<{ webhook_url: NotNull }>()
    .execute();

/** Whose a subscription is that is posted somewhere; undefined where there is none. */
export async function subscriptionOwner(reader: Reader, id: string): Promise<string | undefined> {
  return await reader.value<string>(sql`
    SELECT owner_id FROM event_subscriptions
    WHERE id = ${id} AND webhook_url IS NOT NULL AND detached_at IS NULL`);
}
