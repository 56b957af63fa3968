import { Topics } from '../../platform/streams/topics.ts';
import type { Platform } from '../../platform.ts';
import type { AgentSide } from '../create-agents.ts';
import { Sweeps } from '../records/sweeps.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import type { AgentEvents } from './agent-events.ts';
import { defineDigests, ensureDigest } from './digests.ts';
import { type EventFeed, fed, type FedEvent } from './event-feed.ts';
import { eventsAfter } from './event-store.ts';
import { endSubscriptionsOf } from './subscription-store.ts';
import { postEvent, subscriptionWebhooks } from './subscription-webhooks.ts';
import type { SubscriptionContext } from './subscriptions.ts';

/** How agents and their endpoints are told of it. */
export interface EventSide {
  readonly feed: EventFeed;
  readonly subscriptions: SubscriptionContext;
  close(): void;
}

export function createEventSide(
  platform: Platform,
  events: AgentEvents,
  { observers, settings }: Pick<AgentSide, 'observers' | 'settings'>,
  dispatcher: WebhookDispatcher,
): EventSide {
  const { database, clock, log } = platform;
  const topics = new Topics<FedEvent>({
    ...platform,
    noun: 'events',
    read: async (agent, after, limit) => (await eventsAfter(database.read, agent, after, limit)).map(fed),
    onError: log.failed('event_stream_failed'),
  });
  const subscriptions: SubscriptionContext = {
    ...platform,
    settings,
    events,
    sweeps: new Sweeps(platform),
    dispatcher,
  };
  dispatcher.carry(subscriptionWebhooks(subscriptions));
  defineDigests(subscriptions);
  observers.add({ agentDeleted: (tx, agent) => endSubscriptionsOf(tx, agent, clock.now()) });
  events.followedBy({
    toPost: (tx, event) => postEvent(subscriptions, tx, event),
    toDigest: (tx, event) => ensureDigest(subscriptions, tx, event),
    announced: (agent, id) => topics.hint(agent, id),
  });
  return {
    feed: { database, topics, spellAgent: settings.spellAgent },
    subscriptions,
    close: () => topics.close(),
  };
}
