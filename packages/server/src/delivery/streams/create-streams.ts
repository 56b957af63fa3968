import type { IdentityService } from '../../identity/service.ts';
import type { Platform } from '../../platform.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';
import { MessageWakes } from './message-wakes.ts';
import { OfferStreams } from './offer-streams.ts';

/** How live sessions and agents hear of what comes for them. */
export interface DeliveryStreams {
  readonly offers: OfferStreams;
  /** For the agent's own stream. */
  readonly messages: MessageWakes;
}

export function createDeliveryStreams(
  platform: Platform,
  identity: IdentityService,
  agents: AgentSide,
  messaging: Messaging,
): DeliveryStreams {
  const messages = new MessageWakes({ ...platform, ...messaging });
  messaging.outlets.alsoWake(messages);
  return { offers: new OfferStreams(platform, identity, agents, messaging), messages };
}
