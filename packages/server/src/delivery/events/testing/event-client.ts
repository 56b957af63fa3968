import type { EventsAnswer, SubscriptionAnswer } from '@parley/protocol/delivery/types';
import { expectStatus, type Reply } from '../../testing/agent-client.ts';
import { MessageClient } from '../../testing/message-client.ts';

type Query = Record<string, string | number>;

const path = (ref: string, rest: string): string => `/v1/agents/${encodeURIComponent(ref)}/${rest}`;

/** Subscribes and reads events as an owner does. */
export class EventClient {
  readonly owner: MessageClient;

  constructor(owner: MessageClient) {
    this.owner = owner;
  }

  static async register(server: { url: string }): Promise<EventClient> {
    return new EventClient(await MessageClient.register(server));
  }

  tryEvents(ref: string, query: Query = {}): Promise<Reply<EventsAnswer>> {
    return this.owner.call<EventsAnswer>('GET', path(ref, 'events'), { query });
  }

  async events(ref: string, query: Query = {}): Promise<EventsAnswer> {
    return expectStatus(200, await this.tryEvents(ref, query));
  }

  async types(ref: string, query: Query = {}): Promise<string[]> {
    return (await this.events(ref, query)).events.map(({ event_type: type }) => type);
  }

  trySubscribe(ref: string, body: unknown): Promise<Reply<SubscriptionAnswer>> {
    return this.owner.call<SubscriptionAnswer>('POST', path(ref, 'subscriptions'), { body });
  }

  async subscribe(ref: string, body: object = {}): Promise<SubscriptionAnswer> {
    const wish = { event_type: 'message.delivered', delivery_target: 'pull', ...body };
    return expectStatus(201, await this.trySubscribe(ref, wish));
  }

  async subscriptions(ref: string): Promise<SubscriptionAnswer[]> {
    const answer = await this.owner.call<{ subscriptions: SubscriptionAnswer[] }>(
      'GET',
      path(ref, 'subscriptions'),
    );
    return expectStatus(200, answer).subscriptions;
  }

  ack(ref: string, id: string, body: unknown): Promise<Reply<{ acked: boolean }>> {
    return this.owner.call('PATCH', path(ref, `subscriptions/${id}/ack`), { body });
  }

  detach(ref: string, id: string): Promise<Reply<{ detached: boolean }>> {
    return this.owner.call('DELETE', path(ref, `subscriptions/${id}`));
  }
}
