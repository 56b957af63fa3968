import { noteWebhookResult } from '../../platform/outbound/webhook-results.ts';
import type { Platform } from '../../platform.ts';
import { signedJson } from '../../wire/delivery/signed-json.ts';
import type { DeliverySettings } from '../settings.ts';
import { attemptDelivery } from '../webhooks/attempt.ts';
import type { Outgoing } from '../webhooks/webhook-kind.ts';
import { subscriptionById } from './subscription-store.ts';
import type { Subscriptions } from './subscriptions.ts';

type Parts = Pick<Platform, 'clock' | 'random' | 'outbound' | 'database'> & {
  readonly subscriptions: Subscriptions;
  readonly settings: DeliverySettings;
};

/** Posts a list of no events, signed like any other, once. Undefined where there is no endpoint. */
export async function trySubscription(
  parts: Parts,
  id: string,
): Promise<{ status: number | null; error: string | null } | undefined> {
  const { database, clock, random, subscriptions, settings } = parts;
  const subscription = await subscriptionById(database.read, id);
  const secrets = subscription && subscriptions.signing(subscription);
  if (subscription?.webhook_url == null || !secrets) return undefined;
  const { webhook_url: url, owner_id: ownerId } = subscription;
  const deliveryId = `whd_${random.hex(16)}`;
  const outgoing: Outgoing = {
    url,
    secrets,
    body: signedJson({ delivery_id: deliveryId, subscription_id: id, events: [] }),
    headers: { 'X-CueAPI-Event-Count': '0' },
    timeoutMs: settings.webhookTimeoutMs,
    retries: { maxAttempts: 1, waits: [], retriesEverything: false },
  };
  const { status, next } = await attemptDelivery(
    parts,
    { compose: async () => outgoing },
    { id: deliveryId, ownerId, kind: 'subscription', ref: id, executionId: null, body: null, attempt: 1 },
  );
  const error = next.kind === 'delivered' ? null : next.error;
  await database.write((tx) =>
    noteWebhookResult(tx, { scope: ownerId, url, status, error, at: clock.now() }),
  );
  return { status, error };
}
