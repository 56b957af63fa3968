import * as extensions from '@parley/protocol/rooms/extension-routes';
import * as routes from '@parley/protocol/rooms/routes';
import type { RoomAuthentication } from '../access/authentication.ts';
import type { RoomsService } from '../service.ts';
import { agentOf, idOf, type RoomRouteTable } from './route-call.ts';

/** `/v1/listings*`, and whom an agent does not want to meet there. */
export function listingRoutes(
  table: RoomRouteTable,
  { listings, blocks }: RoomsService,
  authentication: RoomAuthentication,
): void {
  table.add(routes.listingsCreate, (call) => listings.create(agentOf(call), call.body));
  table.add(routes.listingsSearch, async ({ query, request }) => {
    const caller = await authentication.optional(request);
    return await listings.search(query, caller?.agent);
  });
  table.add(routes.listingConnect, (call) => listings.connect(idOf(call), agentOf(call)));

  table.add(extensions.agentBlocksList, (call) => blocks.list(agentOf(call)));
  table.add(extensions.agentBlocksCreate, (call) => blocks.add(agentOf(call), call.body.agent_id));
  table.add(extensions.agentBlocksDelete, async (call) => {
    await blocks.remove(agentOf(call), idOf(call));
    return null;
  });
}
