import type { EventTarget, EventType } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const PULL = word('pull' satisfies EventTarget);
const WEBHOOK = word('webhook' satisfies EventTarget);

export const subscriptionTable = table('event_subscriptions', {
  id: column<string>(),
  owner_id: column<string>(),
  agent: column<string>(),
  event_type: column<EventType>(),
  target: column<EventTarget>(),
  webhook_url: column<string | null>(),
  /** Sealed. */
  webhook_secret: column<string | null>(),
  inline_body: column<number>(),
  mark: column<number>(),
  batch_end: column<number | null>(),
  queued: column<number>(),
  last_posted_at: column<number | null>(),
  last_dispatched_at: column<number | null>(),
  last_acked_event_id: column<number | null>(),
  failures: column<number>(),
  paused_until: column<number | null>(),
  created_at: column<number>(),
  detached_at: column<number | null>(),
});

export type SubscriptionRow = RowOf<typeof subscriptionTable>;

/** False when an active one has the same type and target. */
export async function insertSubscription(tx: Tx, subscription: SubscriptionRow): Promise<boolean> {
  return await tx.affects(subscriptionTable.insertNew(subscription));
}

/** Oldest first. */
export function activeSubscriptions(reader: Reader, agent: string): Promise<SubscriptionRow[]> {
  return reader.all<SubscriptionRow>(subscriptionTable.select`
    WHERE agent = ${agent} AND detached_at IS NULL ORDER BY created_at, id`);
}

export function pullSubscriptions(reader: Reader, agent: string): Promise<SubscriptionRow[]> {
  return reader.all<SubscriptionRow>(subscriptionTable.select`
    WHERE agent = ${agent} AND target = ${PULL} AND detached_at IS NULL`);
}

/** Those with an endpoint. Whoever writes an event for them waits for who is just recording a post, and the other way round. */
export function lockEndpoints(tx: Tx, agent: string): Promise<SubscriptionRow[]> {
  return tx.all<SubscriptionRow>(subscriptionTable.lock(tx, 'UPDATE')`
    WHERE agent = ${agent} AND target = ${WEBHOOK} AND detached_at IS NULL ORDER BY id`);
}

export function subscriptionById(reader: Reader, id: string): Promise<SubscriptionRow | undefined> {
  return reader.get<SubscriptionRow>(subscriptionTable.select`WHERE id = ${id}`);
}

export function lockSubscription(tx: Tx, id: string): Promise<SubscriptionRow | undefined> {
  return tx.get<SubscriptionRow>(
    subscriptionTable.lock(tx, 'UPDATE')`WHERE id = ${id} AND detached_at IS NULL`,
  );
}

export async function patchSubscription(
  tx: Tx,
  id: string,
  patch: Partial<Omit<SubscriptionRow, 'id'>>,
): Promise<void> {
  await tx.run(subscriptionTable.update(patch)`WHERE id = ${id}`);
}

/** How far the agent says, or shows by reading on, that it has come. */
export async function ackTo(tx: Tx, id: string, eventId: number): Promise<void> {
  await tx.run(sql`
    UPDATE event_subscriptions SET last_acked_event_id = ${eventId}
    WHERE id = ${id} AND detached_at IS NULL AND (last_acked_event_id IS NULL OR last_acked_event_id < ${eventId})`);
}

/** True when it is the agent's, active or not. */
export async function endSubscription(tx: Tx, agent: string, id: string, now: number): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE event_subscriptions SET detached_at = COALESCE(detached_at, ${now}), webhook_secret = NULL
    WHERE id = ${id} AND agent = ${agent}`);
}

export async function endSubscriptionsOf(tx: Tx, agent: string, now: number): Promise<void> {
  await tx.run(sql`
    UPDATE event_subscriptions SET detached_at = ${now}, webhook_secret = NULL
    WHERE agent = ${agent} AND detached_at IS NULL`);
}

export async function forgetSubscriptions(tx: Tx, before: number): Promise<void> {
  await tx.run(
    sql`DELETE FROM event_subscriptions WHERE detached_at IS NOT NULL AND detached_at < ${before}`,
  );
}
