import * as routes from '@parley/protocol/delivery/event-routes';
import type { SentSubscription } from '@parley/protocol/delivery/sent';
import type {
  EventAnswer,
  EventsAnswer,
  SubscriptionAnswer,
  SubscriptionsAnswer,
} from '@parley/protocol/delivery/types';
import type { EventType } from '@parley/protocol/delivery/vocabulary';
import { sleep, systemClock } from '../channels/clock.ts';
import { TransportError } from '../channels/transport.ts';
import type { RouteCaller } from '../route-caller.ts';

const PAUSE_MS = 2000;

export interface EventPage {
  /** Events after this one; 0, or nothing, is from the oldest that is kept. */
  since?: number | undefined;
  limit?: number | undefined;
  event_type?: EventType | undefined;
  /** Holds the call for up to 30 seconds when there is nothing. */
  wait?: 'long' | undefined;
}

/** What happens to an agent and to what it sent. An agent is named by id, `slug@owner` or slug. */
export class Events {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  read(agent: string, page: EventPage = {}, signal?: AbortSignal): Promise<EventsAnswer> {
    return this.#caller.call(routes.eventList, { path: [agent], query: { ...page }, signal });
  }

  /** One event after the other, for as long as somebody asks, over cuts and restarts of the server. The id is the cursor. */
  async *follow(
    agent: string,
    { since = 0, event_type }: Pick<EventPage, 'since' | 'event_type'> = {},
    signal?: AbortSignal,
  ): AsyncGenerator<EventAnswer> {
    let cursor = since;
    for (;;) {
      if (signal?.aborted) return;
      const page = await this.#page(agent, { since: cursor, event_type, wait: 'long' }, signal);
      for (const event of page) {
        yield event;
        cursor = event.id;
      }
    }
  }

  /** Nothing, after a while, where there is no answer. */
  async #page(agent: string, page: EventPage, signal?: AbortSignal): Promise<readonly EventAnswer[]> {
    try {
      return (await this.read(agent, page, signal)).events;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      await sleep(systemClock, PAUSE_MS, signal);
      return [];
    }
  }

  subscribe(agent: string, wish: SentSubscription): Promise<SubscriptionAnswer> {
    return this.#caller.call(routes.subscriptionCreate, { path: [agent], body: wish });
  }

  subscriptions(agent: string): Promise<SubscriptionsAnswer> {
    return this.#caller.call(routes.subscriptionList, { path: [agent] });
  }

  async ack(agent: string, id: string, eventId: number): Promise<void> {
    const body = { acked_event_id: eventId };
    await this.#caller.call(routes.subscriptionAck, { path: [agent, id], body });
  }

  async unsubscribe(agent: string, id: string): Promise<void> {
    await this.#caller.call(routes.subscriptionDetach, { path: [agent, id] });
  }
}
