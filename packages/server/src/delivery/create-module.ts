import type { IdentityService } from '../identity/service.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { WakeFeed } from '../wire/wake-feed.ts';
import { type AgentSide, createAgentSide } from './create-agents.ts';
import { createMessaging, type Messaging } from './create-messaging.ts';
import type { AlertContext } from './alerts/alerts.ts';
import { createAlertSide } from './alerts/create-alerts.ts';
import { type Cues, createCues } from './cues/create-cues.ts';
import { AgentEvents } from './events/agent-events.ts';
import { createEventSide, type EventSide } from './events/create-events.ts';
import type { EventSink } from './records/agent-event.ts';
import { queueDepths } from './service/queue-depths.ts';
import { cueWakes } from './streams/cue-wakes.ts';
import { messageWakes } from './streams/message-wakes.ts';
import { OfferStreams } from './streams/offer-streams.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';
import { messagePushes } from './webhooks/message-webhooks.ts';
import { carryPushes } from './webhooks/push-webhooks.ts';

/** Agents as receivers, what is sent to them, and the ways it reaches them. */
export interface DeliveryModule extends Module {
  readonly agents: AgentSide;
  readonly messaging: Messaging;
  readonly cues: Cues;
  /** How live sessions and agents hear of what comes for them. */
  readonly streams: {
    readonly offers: OfferStreams;
    /** For the agent's own stream. */
    readonly messages: WakeFeed;
    readonly cues: WakeFeed;
  };
  readonly events: EventSide;
  readonly alerts: AlertContext;
  /** Where other modules put what happened to agents. */
  readonly told: EventSink;
}

/** What its routes are made from. */
export interface DeliveryContext extends Platform {
  readonly identity: IdentityService;
  readonly delivery: DeliveryModule;
}

export function createDeliveryModule(platform: Platform, identity: IdentityService): DeliveryModule {
  // Before whoever notes what happens.
  const told = new AgentEvents(platform);
  const agents = createAgentSide(platform, identity, told);
  const messaging = createMessaging(platform, identity, agents, told);
  const dispatcher = new WebhookDispatcher({ ...platform, settings: agents.settings });
  carryPushes(messaging, dispatcher, messagePushes({ ...messaging, secrets: platform.secrets }));
  const cues = createCues(platform, identity, agents, messaging, dispatcher);
  const events = createEventSide(platform, told, agents, dispatcher);
  const alerts = createAlertSide(platform, cues, dispatcher);
  platform.health.count(() => queueDepths(messaging));
  const streams = {
    offers: new OfferStreams(platform, identity, agents, messaging),
    messages: messageWakes({ ...platform, ...messaging }),
    cues: cueWakes({ ...platform, ...messaging }),
  };
  messaging.outlets.wake = streams.messages.announce;
  messaging.outlets.wakeByCue = streams.cues.announce;
  return {
    agents,
    messaging,
    cues,
    streams,
    events,
    alerts,
    told,
    async start() {
      await agents.start();
      await cues.start();
    },
    release() {
      streams.offers.close();
      events.close();
    },
    async close() {
      await cues.close();
      messaging.close();
      await agents.close();
    },
  };
}
