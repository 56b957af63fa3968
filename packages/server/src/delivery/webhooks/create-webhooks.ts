import type { Platform } from '../../platform.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';
import { WebhookDispatcher } from './dispatcher.ts';
import { messagePushes } from './message-webhooks.ts';
import { carryPushes } from './push-webhooks.ts';

/** Carries pushes to the endpoints of agents; other kinds join it. */
export function createDeliveryWebhooks(
  platform: Platform,
  { webhookSecrets }: Pick<AgentSide, 'webhookSecrets'>,
  messaging: Messaging,
): WebhookDispatcher {
  const dispatcher = new WebhookDispatcher({ ...platform, settings: messaging.settings });
  carryPushes(messaging, dispatcher, messagePushes({ ...messaging, webhookSecrets }));
  return dispatcher;
}
