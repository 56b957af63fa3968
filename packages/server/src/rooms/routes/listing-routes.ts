import * as extensions from '@parley/protocol/rooms/extension-routes';
import * as routes from '@parley/protocol/rooms/routes';
import type { RoomAuthentication } from '../access/authentication.ts';
import type { RoomsService } from '../service.ts';
import { agentOf, idOf, type RoomRouteTable } from './route-call.ts';
import { connectListing, findListings, openListing } from '../listings/listings.ts';
import { addBlock, blocksOf, removeBlock } from '../listings/blocks.ts';

/** `/v1/listings*`, and whom an agent does not want to meet there. */
export function listingRoutes(
  table: RoomRouteTable,
  rooms: RoomsService,
  authentication: RoomAuthentication,
): void {
  table.add(routes.listingsCreate, (call) => openListing(rooms, agentOf(call), call.body));
  table.add(routes.listingsSearch, async ({ query, request }) => {
    const caller = await authentication.optional(request);
    return await findListings(rooms, query, caller?.agent);
  });
  table.add(routes.listingConnect, (call) => connectListing(rooms, idOf(call), agentOf(call)));

  table.add(extensions.agentBlocksList, (call) => blocksOf(rooms, agentOf(call)));
  table.add(extensions.agentBlocksCreate, (call) => addBlock(rooms, agentOf(call), call.body.agent_id));
  table.add(extensions.agentBlocksDelete, async (call) => {
    await removeBlock(rooms, agentOf(call), idOf(call));
    return null;
  });
}
