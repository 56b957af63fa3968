import type { FastifyInstance } from 'fastify';
import { deliveryShape } from '../../wire/delivery/caller.ts';
import { RouteTable } from '../../platform/http/route-table.ts';
import type { DeliveryContext } from '../create-module.ts';
import type { About } from '../../platform/http/service-routes.ts';
import { echoBodies } from '../../wire/delivery/body-echo.ts';
import { asDelivery } from '../../wire/delivery/plugin.ts';
import { alertRoutes } from './alert-routes.ts';
import { agentRoutes } from './agent-routes.ts';
import { cueRoutes } from './cue-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { executionRoutes } from './execution-routes.ts';
import { liveSessionRoutes } from './live-session-routes.ts';
import { messageRoutes } from './message-routes.ts';
import { deliveryServiceRoutes } from './service-routes.ts';
import { wakeRoutes } from './wake-routes.ts';

/** Everything of the delivery protocol but the accounts, which identity serves. */
export async function deliveryRoutes(
  app: FastifyInstance,
  context: DeliveryContext,
  about: About,
): Promise<void> {
  asDelivery(app, context);
  echoBodies(app);
  const { agents, messaging, cues, streams, events, alerts } = context.delivery;
  const table = new RouteTable(app, deliveryShape(context.identity));
  agentRoutes(table, agents);
  liveSessionRoutes(table, agents, streams.offers);
  messageRoutes(table, messaging, agents.reach);
  wakeRoutes(table, agents, messaging);
  executionRoutes(table, messaging, agents.reach, cues);
  cueRoutes(table, cues);
  eventRoutes(table, agents, events);
  alertRoutes(table, alerts, agents.reach);
  table.refuseOtherMethods();
  await app.register(async (scope) => deliveryServiceRoutes(scope, context, about));
}
