import * as declared from '@parley/protocol/delivery/event-routes';
import type { Params, RouteTable } from '../../platform/http/route-table.ts';
import type { Caller } from '../../wire/caller.ts';
import { reachedAgent } from '../agents/agents.ts';
import type { AgentSide } from '../create-agents.ts';
import type { EventSide } from '../events/create-events.ts';
import { readEvents } from '../events/event-feed.ts';
import { ackEvents, subscribe, subscriptionsOf, unsubscribe } from '../events/subscriptions.ts';
import { whileConnected } from '../../platform/http/while-connected.ts';

/** Events of an agent, and its subscriptions to them. */
export function eventRoutes(
  table: RouteTable<Caller>,
  agents: AgentSide,
  { feed, subscriptions }: EventSide,
): void {
  const own = (caller: Caller, params: Params) => reachedAgent(agents, caller, params);

  table.add(declared.subscriptionCreate, async ({ caller, params, body }) =>
    subscribe(subscriptions, await own(caller, params), body),
  );

  table.add(declared.subscriptionList, async ({ caller, params }) => {
    const listed = await subscriptionsOf(subscriptions, await own(caller, params));
    return { subscriptions: listed, total: listed.length };
  });

  table.add(declared.subscriptionAck, async ({ caller, params, body }) => {
    await ackEvents(subscriptions, await own(caller, params), params.id ?? '', body.acked_event_id);
    return { acked: true };
  });

  table.add(declared.subscriptionDetach, async ({ caller, params }) => {
    await unsubscribe(subscriptions, await own(caller, params), params.id ?? '');
    return { detached: true };
  });

  table.add(declared.eventList, async ({ caller, params, query, reply }) =>
    readEvents(feed, await own(caller, params), query, whileConnected(reply)),
  );
}
