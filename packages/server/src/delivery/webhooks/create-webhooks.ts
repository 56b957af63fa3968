import type { Platform } from '../../platform.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';
import { WebhookDispatcher } from './dispatcher.ts';
import { MessageWebhooks } from './message-webhooks.ts';

/** Carries pushes to the endpoints of agents. */
export function createDeliveryWebhooks(
  platform: Platform,
  { recipients, webhookSecrets }: Pick<AgentSide, 'recipients' | 'webhookSecrets'>,
  messaging: Messaging,
): void {
  const dispatcher = new WebhookDispatcher({ ...platform, settings: messaging.settings });
  const messages = new MessageWebhooks({
    ...platform,
    ...messaging,
    recipients,
    webhookSecrets,
    dispatcher,
  });
  dispatcher.carry(messages);
  messaging.outlets.carryBy(messages);
}
