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
import { nestedTooDeeply } from '../wire/memory/schema-errors.ts';
import type { KnowledgeAppContext } from './create-module.ts';

export async function knowledgeRoutes(
  app: FastifyInstance,
  context: KnowledgeAppContext,
  limits: MemoryLimits,
): Promise<void> {
  const { operations } = context.knowledge.service;
  const names = new Map([...operations.values()].map(({ route: { path, name } }) => [path, name]));
  shapeDetailErrors(app, context.log, (path) => names.get(path) ?? path);
  const shape = { ...detailShape(context.identity), tooDeep: nestedTooDeeply };
  const table = new RouteTable<Caller>(app, shape, { bodyLimit: LARGEST_READ });
  for (const operation of operations.values()) {
    const { route } = operation;
    table.add(route, async ({ caller, body, query, params, request }) => {
      await limits.spend(route, caller, request);
      requireSize(route, request);
      requireScopes(caller, route);
      return await operation.run({ caller, body, query, params });
    });
  }
  table.refuseOtherMethods();
}
