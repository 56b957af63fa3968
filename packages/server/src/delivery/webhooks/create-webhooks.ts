import type { Platform } from '../../platform.ts';
import type { Messaging } from '../create-messaging.ts';
import { WebhookDispatcher } from './dispatcher.ts';
import { messagePushes } from './message-webhooks.ts';
import { carryPushes } from './push-webhooks.ts';

/** Carries pushes to the endpoints of agents; other kinds join it. */
export function createDeliveryWebhooks(platform: Platform, messaging: Messaging): WebhookDispatcher {
  const dispatcher = new WebhookDispatcher({ ...platform, settings: messaging.settings });
  carryPushes(messaging, dispatcher, messagePushes({ ...messaging, secrets: platform.secrets }));
  return dispatcher;
}
