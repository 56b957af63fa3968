import { noteWebhookResult } from '../../platform/outbound/webhook-results.ts';
import { attemptDelivery } from '../webhooks/attempt.ts';
import { retriesAfter } from '../webhooks/retry-schedule.ts';
import { subscriptionById } from './subscription-store.ts';
import { postOf } from './subscription-webhooks.ts';
import type { SubscriptionContext } from './subscriptions.ts';

const ONCE = retriesAfter([], false);

/** Posts a list of no events, signed like any other, once. Undefined where there is no endpoint. */
export async function trySubscription(
  context: SubscriptionContext,
  id: string,
): Promise<{ status: number | null; error: string | null } | undefined> {
  const { database, clock, random } = context;
  const subscription = await subscriptionById(database.read, id);
  const deliveryId = `whd_${random.hex(16)}`;
  const outgoing = subscription && postOf(context, subscription, deliveryId, [], ONCE);
  if (!outgoing) return undefined;
  const { owner_id: ownerId } = subscription;
  const { status, next } = await attemptDelivery(
    context,
    { compose: async () => outgoing },
    { id: deliveryId, ownerId, kind: 'subscription', ref: id, executionId: null, body: null, attempt: 1 },
  );
  const error = next.kind === 'delivered' ? null : next.error;
  await database.write((tx) =>
    noteWebhookResult(tx, { scope: ownerId, url: outgoing.url, status, error, at: clock.now() }),
  );
  return { status, error };
}
