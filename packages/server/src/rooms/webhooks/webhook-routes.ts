import * as routes from '@parley/protocol/rooms/routes';
import { agentOf, idOf, type RoomRouteTable } from '../routes/route-call.ts';
import type { WebhookEndpoints } from './endpoints.ts';

/** `/v1/agent/webhooks`. */
export function webhookRoutes(table: RoomRouteTable, endpoints: WebhookEndpoints): void {
  table.add(routes.agentWebhooksList, (call) => endpoints.list(agentOf(call)));
  table.add(routes.agentWebhooksCreate, (call) => endpoints.create(agentOf(call), call.body));
  table.add(routes.agentWebhooksDelete, async (call) => {
    await endpoints.remove(agentOf(call), idOf(call));
    return null;
  });
}
