import * as declared from '@parley/protocol/schedule/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { memoryRoutes } from '../continuity/memory-routes.ts';
import type { IdentityService } from '../identity/service.ts';
import type { RouteShape } from '../platform/http/route-table.ts';
import type { Platform } from '../platform.ts';
import type { Caller } from '../wire/caller.ts';
import type { MemoryLimits } from '../wire/memory/plugin.ts';
import { scheduleError } from './errors.ts';
import { acknowledge, create, get, list, retire, update } from './operations.ts';
import type { ScheduleContext } from './schedule-context.ts';

/** What a body or query says is looked at after scope and namespace, in an order that no schema knows. */
const ANYTHING = z.unknown();

export async function scheduleRoutes(
  app: FastifyInstance,
  context: Platform & { readonly identity: IdentityService; readonly schedule: ScheduleContext },
  limits: MemoryLimits,
): Promise<void> {
  const { schedule } = context;
  const { table, add } = memoryRoutes(app, context, {
    limits,
    module: 'schedule',
    shape: shapeOf,
  });
  add(unchecked(declared.create), async (call) => {
    const answer = await create(schedule, call);
    return call.reply.code(answer.created ? 201 : 200).send(answer);
  });
  add(unchecked(declared.list), (call) => list(schedule, call));
  add(declared.get, (call) => get(schedule, call));
  add(unchecked(declared.update), (call) => update(schedule, call));
  add(unchecked(declared.acknowledge), (call) => acknowledge(schedule, call));
  add(unchecked(declared.retire), (call) => retire(schedule, call));
  table.refuseOtherMethods();
}

const unchecked = (route: RouteDeclaration): RouteDeclaration => ({
  ...route,
  ...(route.body && { body: ANYTHING }),
  ...(route.query && { query: ANYTHING }),
});

/** Who calls is known before the body is read; one that is left out counts as empty. */
const shapeOf = (usual: RouteShape<Caller>): RouteShape<Caller> => ({
  authenticate: (route, request) => usual.authenticate(route, request),
  invalidJson: () => scheduleError('invalid_schedule_payload', 'body'),
  hiddenName: () => scheduleError('invalid_schedule_payload', 'body'),
  invalid: (where) => scheduleError('invalid_schedule_payload', where),
  methodNotAllowed: (allowed) => usual.methodNotAllowed(allowed),
});
