import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface AgentEndpoint {
  readonly agent: string;
  readonly owner_id: string;
  readonly webhook_url: string;
  readonly created_at: number;
}

/** Agents that are reached by a webhook, newest first. */
export function agentEndpoints(
  reader: Reader,
  ownerId: string | undefined,
  limit: number,
): Promise<AgentEndpoint[]> {
  return ownerId === undefined
    ? reader.all<AgentEndpoint>(sql`
        SELECT agent, owner_id, webhook_url, created_at FROM agent_delivery
        WHERE webhook_url IS NOT NULL AND deleted_at IS NULL ORDER BY created_at DESC LIMIT ${limit}`)
    : reader.all<AgentEndpoint>(sql`
        SELECT agent, owner_id, webhook_url, created_at FROM agent_delivery
        WHERE webhook_url IS NOT NULL AND deleted_at IS NULL AND owner_id = ${ownerId}
        ORDER BY created_at DESC LIMIT ${limit}`);
}

export interface EventEndpoint {
  readonly id: string;
  readonly owner_id: string;
  readonly agent: string;
  readonly event_type: string;
  readonly webhook_url: string;
  readonly paused_until: number | null;
  readonly created_at: number;
}

/** Subscriptions to events that are posted somewhere, newest first. */
export function eventEndpoints(
  reader: Reader,
  ownerId: string | undefined,
  limit: number,
): Promise<EventEndpoint[]> {
  return ownerId === undefined
    ? reader.all<EventEndpoint>(sql`
        SELECT id, owner_id, agent, event_type, webhook_url, paused_until, created_at FROM event_subscriptions
        WHERE webhook_url IS NOT NULL AND detached_at IS NULL ORDER BY created_at DESC LIMIT ${limit}`)
    : reader.all<EventEndpoint>(sql`
        SELECT id, owner_id, agent, event_type, webhook_url, paused_until, created_at FROM event_subscriptions
        WHERE webhook_url IS NOT NULL AND detached_at IS NULL AND owner_id = ${ownerId}
        ORDER BY created_at DESC LIMIT ${limit}`);
}

/** Whose a subscription is that is posted somewhere; undefined where there is none. */
export async function subscriptionOwner(reader: Reader, id: string): Promise<string | undefined> {
  const row = await reader.get<{ owner_id: string }>(sql`
    SELECT owner_id FROM event_subscriptions
    WHERE id = ${id} AND webhook_url IS NOT NULL AND detached_at IS NULL`);
  return row?.owner_id;
}
