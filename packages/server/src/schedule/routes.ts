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
import type { ScheduleModule } from './create-module.ts';
import { scheduleError } from './errors.ts';

/** What a body or query says is looked at after scope and namespace, in an order that no schema knows. */
const ANYTHING = z.unknown();

export async function scheduleRoutes(
  app: FastifyInstance,
  context: Platform & { readonly identity: IdentityService; readonly schedule: ScheduleModule },
  limits: MemoryLimits,
): Promise<void> {
  const { service } = context.schedule;
  const { table, add } = memoryRoutes(app, context, {
    limits,
    operationAt: () => 'schedule',
    shape: shapeOf,
  });
  add(unchecked(declared.create), async ({ caller, raw, reply }) => {
    const answer = await service.create(caller, raw);
    return reply.code(answer.created ? 201 : 200).send(answer);
  });
  add(unchecked(declared.list), ({ caller, query }) => service.list(caller, query));
  add(declared.get, ({ caller, params }) => service.get(caller, params.schedule_id ?? ''));
  const changes = [
    [declared.update, 'update'],
    [declared.acknowledge, 'acknowledge'],
    [declared.retire, 'retire'],
  ] as const;
  for (const [route, method] of changes) {
    add(unchecked(route), ({ caller, params, raw }) =>
      service[method](caller, params.schedule_id ?? '', raw),
    );
  }
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
