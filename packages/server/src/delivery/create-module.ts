import type { IdentityService } from '../identity/service.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { type AgentSide, createAgentSide } from './create-agents.ts';
import { createMessaging, type Messaging } from './create-messaging.ts';
import { type Cues, createCues } from './cues/create-cues.ts';
import { createDeliveryStreams, type DeliveryStreams } from './streams/create-streams.ts';
import { createDeliveryWebhooks } from './webhooks/create-webhooks.ts';

/** Agents as receivers, what is sent to them, and the ways it reaches them. */
export interface DeliveryModule extends Module {
  readonly agents: AgentSide;
  readonly messaging: Messaging;
  readonly cues: Cues;
  readonly streams: DeliveryStreams;
}

/** What its routes are made from. */
export interface DeliveryContext extends Platform {
  readonly identity: IdentityService;
  readonly delivery: DeliveryModule;
}

export function createDeliveryModule(platform: Platform, identity: IdentityService): DeliveryModule {
  const agents = createAgentSide(platform, identity);
  const messaging = createMessaging(platform, identity, agents);
  const dispatcher = createDeliveryWebhooks(platform, agents, messaging);
  const cues = createCues(platform, identity, agents, messaging, dispatcher);
  const streams = createDeliveryStreams(platform, identity, agents, messaging);
  return {
    agents,
    messaging,
    cues,
    streams,
    start: () => agents.start(),
    release: () => streams.offers.close(),
    async close() {
      messaging.close();
      await agents.close();
    },
  };
}
