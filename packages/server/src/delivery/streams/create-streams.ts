import type { IdentityService } from '../../identity/service.ts';
import type { Platform } from '../../platform.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';
import { type CueWakes, cueWakes } from './cue-wakes.ts';
import { type MessageWakes, messageWakes } from './message-wakes.ts';
import { OfferStreams } from './offer-streams.ts';

/** How live sessions and agents hear of what comes for them. */
export interface DeliveryStreams {
  readonly offers: OfferStreams;
  /** For the agent's own stream. */
  readonly messages: MessageWakes;
  readonly cues: CueWakes;
}

export function createDeliveryStreams(
  platform: Platform,
  identity: IdentityService,
  agents: AgentSide,
  messaging: Messaging,
): DeliveryStreams {
  const messages = messageWakes({ ...platform, ...messaging });
  messaging.outlets.alsoWake(messages);
  const cues = cueWakes({ ...platform, ...messaging });
  messaging.outlets.alsoWakeByCue(cues);
  return { offers: new OfferStreams(platform, identity, agents, messaging), messages, cues };
}
