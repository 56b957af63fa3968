import * as declared from '@parley/protocol/schedule/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { RouteTable, type RouteShape } from '../platform/http/route-table.ts';
import type { Caller } from '../wire/caller.ts';
import {
  detailShape,
  LARGEST_READ,
  type MemoryLimits,
  requireSize,
  shapeDetailErrors,
} from '../wire/memory/plugin.ts';
import type { ScheduleRoutesContext } from './create-module.ts';
import { scheduleError } from './errors.ts';

/** What a body or query says is looked at after scope and namespace, in an order that no schema knows. */
const ANYTHING = z.unknown();

export async function scheduleRoutes(
  app: FastifyInstance,
  context: ScheduleRoutesContext,
  limits: MemoryLimits,
): Promise<void> {
  const { service } = context.schedule;
  shapeDetailErrors(app, context.log, () => 'schedule');
  const table = new RouteTable<Caller>(app, shapeOf(detailShape(context.identity)), {
    bodyLimit: LARGEST_READ,
  });
  const counted = async (route: RouteDeclaration, caller: Caller, request: FastifyRequest): Promise<void> => {
    await limits.spend(route, caller, request);
    requireSize(route, request);
  };
  table.add(unchecked(declared.create), async ({ caller, raw, request, reply }) => {
    await counted(declared.create, caller, request);
    const answer = await service.create(caller, raw);
    return reply.code(answer.created ? 201 : 200).send(answer);
  });
  table.add(unchecked(declared.list), async ({ caller, query, request }) => {
    await counted(declared.list, caller, request);
    return await service.list(caller, query);
  });
  table.add(declared.get, async ({ caller, params, request }) => {
    await counted(declared.get, caller, request);
    return await service.get(caller, params.schedule_id ?? '');
  });
  const changes = [
    [declared.update, 'update'],
    [declared.acknowledge, 'acknowledge'],
    [declared.retire, 'retire'],
  ] as const;
  for (const [route, method] of changes) {
    table.add(unchecked(route), async ({ caller, params, raw, request }) => {
      await counted(route, caller, request);
      return await service[method](caller, params.schedule_id ?? '', raw);
    });
  }
  table.refuseOtherMethods();
}

const unchecked = (route: RouteDeclaration): RouteDeclaration => ({
  ...route,
  ...(route.body && { body: ANYTHING }),
  ...(route.query && { query: ANYTHING }),
});

/** Who calls is known before the body is read; one that is left out counts as empty. */
function shapeOf(memory: RouteShape<Caller>): RouteShape<Caller> {
  return {
    authenticate: (route, request) => memory.authenticate(route, request),
    invalidJson: () => scheduleError('invalid_schedule_payload', 'body'),
    hiddenName: () => scheduleError('invalid_schedule_payload', 'body'),
    invalid: (where) => scheduleError('invalid_schedule_payload', where),
    methodNotAllowed: (allowed) => memory.methodNotAllowed(allowed),
  };
}
