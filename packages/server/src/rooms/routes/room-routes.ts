import { MAX_BODY_BYTES, MODE, POLL_INTERVAL_MS } from '@parley/protocol/rooms/limits';
import * as routes from '@parley/protocol/rooms/routes';
import { declareRoute } from '@parley/protocol/route';
import type { FastifyInstance } from 'fastify';
import { allowOrigins } from '../../platform/http/cors.ts';
import { echoRequestNames } from '../../platform/http/request-id.ts';
import { RouteTable } from '../../platform/http/route-table.ts';
import { LARGEST_BODY } from '../../platform/http/server.ts';
import { type RoomCaller, RoomAuthentication } from '../access/authentication.ts';
import type { RoomsContext } from '../create-module.ts';
import { CAPABILITIES } from '../capabilities.ts';
import { bodyTooLarge, roomsRefusals, shapeRoomsErrors } from '../../wire/rooms/errors.ts';
import { spend } from '../limiters.ts';
import { roomsCors } from '../../wire/rooms/paths.ts';
import { streamRoutes } from '../streams/stream-routes.ts';
import { webhookRoutes } from '../webhooks/webhook-routes.ts';
import { agentRoutes } from './agent-routes.ts';
import { conversationRoutes } from './conversation-routes.ts';
import { listingRoutes } from './listing-routes.ts';
import { readerRoutes } from './reader-routes.ts';
import type { RoomRouteTable } from './route-call.ts';

/** For supervisors and bridges; no endpoint of the catalogue. */
const healthz = declareRoute({
  name: 'healthz',
  method: 'GET',
  path: '/healthz',
  auth: 'none',
  summary: 'Whether the process answers.',
  success: 200,
});

/** The rooms protocol, but for what identity answers of it. */
export async function roomRoutes(app: FastifyInstance, context: RoomsContext): Promise<void> {
  const { config, identity, log, random } = context;
  const { service: rooms, streams, webhooks } = context.rooms;
  shapeRoomsErrors(app, log);
  echoRequestNames(app, random);
  allowOrigins(app, roomsCors(config.corsOrigins));
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.header('Cache-Control', 'no-store');
    done();
  });

  const authentication = new RoomAuthentication(identity, rooms);
  const table: RoomRouteTable = new RouteTable<RoomCaller | undefined>(
    app,
    {
      ...roomsRefusals,
      longestBody: { bytes: MAX_BODY_BYTES, refuse: bodyTooLarge },
      authenticate: (route, request) => authentication.caller(route, request),
      async limit(route, { clientAddress }) {
        if (route === routes.roomMessages) await spend(rooms.limiters.messageAttempts, clientAddress);
        if (route === routes.roomEvents) await spend(rooms.limiters.eventConnectsOfAddress, clientAddress);
      },
    },
    { bodyLimit: LARGEST_BODY },
  );
  table.add(healthz, () => ({ status: 'ok' }));
  table.add(routes.mode, () => ({ mode: MODE, poll_interval_ms: POLL_INTERVAL_MS }));
  table.add(routes.capabilities, () => CAPABILITIES);
  listingRoutes(table, rooms, authentication);
  conversationRoutes(table, rooms);
  readerRoutes(table, rooms);
  agentRoutes(table, rooms);
  streamRoutes(table, streams);
  webhookRoutes(table, webhooks.endpoints);
  table.refuseOtherMethods();
}
