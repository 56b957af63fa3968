import type { FastifyInstance } from 'fastify';
import { requireScopes } from '../continuity/access.ts';
import { RouteTable } from '../platform/http/route-table.ts';
import type { Caller } from '../wire/caller.ts';
import {
  detailShape,
  LARGEST_READ,
  type MemoryLimits,
  requireSize,
  shapeDetailErrors,
} from '../wire/memory/plugin.ts';
import type { CoordinationRoutesContext } from './create-module.ts';

export async function coordinationRoutes(
  app: FastifyInstance,
  context: CoordinationRoutesContext,
  limits: MemoryLimits,
): Promise<void> {
  shapeDetailErrors(app, context.log, () => 'coordination');
  const table = new RouteTable<Caller>(app, detailShape(context.identity), { bodyLimit: LARGEST_READ });
  for (const operation of context.coordination.operations) {
    const { route } = operation;
    table.add(route, async ({ caller, body, query, params, request }) => {
      await limits.spend(route, caller, request);
      requireSize(route, request);
      requireScopes(caller, route);
      const [id = ''] = Object.values(params);
      return await operation.run({ caller, body, query, id });
    });
  }
  table.refuseOtherMethods();
}
