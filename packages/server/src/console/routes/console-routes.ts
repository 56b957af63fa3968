import type { FastifyInstance } from 'fastify';
import { RouteTable } from '../../platform/http/route-table.ts';
import { asDelivery, DELIVERY_BODY_LIMIT } from '../../wire/delivery/plugin.ts';
import type { ConsoleContext } from '../create-module.ts';
import { peopleShape } from '../shape.ts';
import { actionRoutes } from './action-routes.ts';
import { keptRoutes } from './kept-routes.ts';
import { systemRoutes } from './system-routes.ts';
import { webhookViewRoutes } from './webhook-routes.ts';
import { viewRoutes } from './view-routes.ts';
import { roomViewRoutes } from './room-routes.ts';
import { sessionRoutes } from './session-routes.ts';

/** `/v1/console/*`: for people with a cookie alone. */
export async function consoleRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  about: { readonly version: string },
): Promise<void> {
  asDelivery(app, context);
  const table = new RouteTable(app, peopleShape, { bodyLimit: DELIVERY_BODY_LIMIT });
  sessionRoutes(table, context, about);
  viewRoutes(table, context);
  roomViewRoutes(table, context);
  keptRoutes(table, context);
  actionRoutes(table, context);
  systemRoutes(table, context, about);
  webhookViewRoutes(table, context);
  table.refuseOtherMethods();
}
