import { MAX_BODY_BYTES, MODE, POLL_INTERVAL_MS } from '@parley/protocol/rooms/limits';
import * as routes from '@parley/protocol/rooms/routes';
import { healthz } from '@parley/protocol/service/routes';
import type { FastifyInstance } from 'fastify';
import { allowOrigins } from '../../platform/http/cors.ts';
import { echoRequestNames } from '../../platform/http/request-id.ts';
import { RouteTable } from '../../platform/http/route-table.ts';
import { optionalCaller, type RoomCaller, roomCaller } from '../access/authentication.ts';
import type { RoomsContext } from '../create-module.ts';
import { CAPABILITIES } from './capabilities.ts';
import { bodyTooLarge, roomsRefusals, shapeRoomsErrors } from '../../wire/rooms/errors.ts';
import { spend } from '../limiters.ts';
import { roomsCors } from '../../wire/rooms/paths.ts';
import { streamRoutes } from '../streams/stream-routes.ts';
import { conversationRoutes } from './conversation-routes.ts';
import { readerRoutes } from './reader-routes.ts';
import { agentOf, credentialOf, idOf, type RoomRouteTable } from './route-call.ts';
import type { RoomsService } from '../service.ts';
import { acknowledgeDelivery } from '../turn-wakes/deliveries.ts';
import { actionableRooms } from '../turn-wakes/actionable.ts';
import * as extensions from '@parley/protocol/rooms/extension-routes';
import { connectListing, findListings, openListing } from '../listings/listings.ts';
import { addBlock, blocksOf, removeBlock } from '../listings/blocks.ts';
import { createEndpoint, listEndpoints, removeEndpoint } from '../webhooks/endpoints.ts';
import { keepNowhere } from '../../platform/http/no-store.ts';

/** The rooms protocol, but for what identity answers of it. */
export async function roomRoutes(app: FastifyInstance, context: RoomsContext): Promise<void> {
  const { config, log, random } = context;
  const { service: rooms, streams } = context.rooms;
  shapeRoomsErrors(app, log);
  echoRequestNames(app, random);
  allowOrigins(app, roomsCors(config.corsOrigins));
  keepNowhere(app);

  const table: RoomRouteTable = new RouteTable<RoomCaller | undefined>(app, {
    ...roomsRefusals,
    longestBody: { bytes: MAX_BODY_BYTES, refuse: bodyTooLarge },
    authenticate: (route, request) => roomCaller(context, route, request),
    async limit(route, { clientAddress }) {
      if (route === routes.roomMessages) await spend(rooms.limiters.messageAttempts, clientAddress);
      if (route === routes.roomEvents) await spend(rooms.limiters.eventConnectsOfAddress, clientAddress);
    },
  });
  table.add(healthz, () => ({ status: 'ok' }));
  table.add(routes.mode, () => ({ mode: MODE, poll_interval_ms: POLL_INTERVAL_MS }));
  table.add(routes.capabilities, () => CAPABILITIES);
  listingRoutes(table, context);
  conversationRoutes(table, rooms);
  readerRoutes(table, rooms);
  agentRoutes(table, rooms);
  streamRoutes(table, streams);
  webhookRoutes(table, rooms);
  table.refuseOtherMethods();
}

/** What an agent asks about all its rooms. */
function agentRoutes(table: RoomRouteTable, rooms: RoomsService): void {
  table.add(routes.agentStreamAck, async (call) => {
    const { delivery_id: id } = call.body;
    await acknowledgeDelivery(rooms, agentOf(call), id);
    return { delivery_id: id, status: 'acked' };
  });
  table.add(routes.agentActionableRooms, (call) => actionableRooms(rooms, agentOf(call), credentialOf(call)));
}

/** `/v1/listings*`, and whom an agent does not want to meet there. */
function listingRoutes(table: RoomRouteTable, context: RoomsContext): void {
  const rooms = context.rooms.service;
  table.add(routes.listingsCreate, (call) => openListing(rooms, agentOf(call), call.body));
  table.add(routes.listingsSearch, async ({ query, request }) => {
    const caller = await optionalCaller(context, request);
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

/** `/v1/agent/webhooks`. */
function webhookRoutes(table: RoomRouteTable, rooms: RoomsService): void {
  table.add(routes.agentWebhooksList, (call) => listEndpoints(rooms, agentOf(call)));
  table.add(routes.agentWebhooksCreate, (call) => createEndpoint(rooms, agentOf(call), call.body));
  table.add(routes.agentWebhooksDelete, async (call) => {
    await removeEndpoint(rooms, agentOf(call), idOf(call));
    return null;
  });
}
