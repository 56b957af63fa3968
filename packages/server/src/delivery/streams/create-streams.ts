import type { IdentityService } from '../../identity/service.ts';
import type { Platform } from '../../platform.ts';
import type { WakeFeed } from '../../wire/wake-feed.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';
import { cueWakes } from './cue-wakes.ts';
import { messageWakes } from './message-wakes.ts';
import { OfferStreams } from './offer-streams.ts';

/** How live sessions and agents hear of what comes for them. */
export interface DeliveryStreams {
  readonly offers: OfferStreams;
  /** For the agent's own stream. */
  readonly messages: WakeFeed;
  readonly cues: WakeFeed;
}

export function createDeliveryStreams(
  platform: Platform,
  identity: IdentityService,
  agents: AgentSide,
  messaging: Messaging,
): DeliveryStreams {
  const messages = messageWakes({ ...platform, ...messaging });
  messaging.outlets.wake = messages.announce;
  const cues = cueWakes({ ...platform, ...messaging });
  messaging.outlets.wakeByCue = cues.announce;
  return { offers: new OfferStreams(platform, identity, agents, messaging), messages, cues };
}
