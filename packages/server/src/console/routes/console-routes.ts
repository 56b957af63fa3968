import type { FastifyInstance } from 'fastify';
import { RouteTable } from '../../platform/http/route-table.ts';
import { asDelivery } from '../../wire/delivery/plugin.ts';
import type { ConsoleContext } from '../create-module.ts';
import { peopleShape } from '../shape.ts';
import { actionRoutes } from './action-routes.ts';
import { systemRoutes } from './system-routes.ts';
import { viewRoutes } from './view-routes.ts';
import { sessionRoutes } from './session-routes.ts';

/** `/v1/console/*`: for people with a cookie alone. */
export async function consoleRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  about: { readonly version: string },
): Promise<void> {
  asDelivery(app, context);
  const table = new RouteTable(app, peopleShape);
  sessionRoutes(table, context, about);
  viewRoutes(table, context);
  actionRoutes(table, context);
  systemRoutes(table, context, about);
  table.refuseOtherMethods();
}
