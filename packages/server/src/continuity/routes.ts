import * as declared from '@parley/protocol/continuity/routes';
import { isObject } from '@parley/protocol/json';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IdentityService } from '../identity/service.ts';
import { isLoopbackAddress } from '../platform/http/client-address.ts';
import type { Platform } from '../platform.ts';
import { forbidden } from '../wire/memory/errors.ts';
import type { MemoryLimits } from '../wire/memory/plugin.ts';
import { requireScopes } from './access.ts';
import type { ContinuityModule } from './create-module.ts';
import { continuityEvents } from './events.ts';
import { memoryRoutes } from './memory-routes.ts';

export async function continuityRoutes(
  app: FastifyInstance,
  context: Platform & { readonly identity: IdentityService; readonly continuity: ContinuityModule },
  limits: MemoryLimits,
): Promise<void> {
  const { service: continuity } = context.continuity;
  const { table } = memoryRoutes(app, context, {
    limits,
    // Of capsules alone a body that is not JSON is told before anything is said of the caller.
    shape: (usual) => ({ ...usual, parsesFirst: true }),
  });
  for (const operation of continuity.operations.values()) {
    const { route } = operation;
    table.add(route, async ({ caller, body, raw, request }) => {
      const bytes = await limits.admit(route, caller, request);
      requireScopes(caller, route);
      return await operation.run({
        caller,
        body: wantsAll(request) && isObject(body) ? { ...body, explain: true } : body,
        raw,
        bytes,
      });
    });
  }
  table.add(declared.opsRun, async ({ caller, body, request }) => {
    await limits.admit(declared.opsRun, caller, request);
    if (!isLoopbackAddress(request.clientAddress)) throw forbidden('Host ops endpoints are local-only');
    requireScopes(caller, declared.opsRun);
    return { ok: true, job_id: body.job_id, job_result: await continuity.runOps(caller, body) };
  });
  continuityEvents(table, context, limits);
  table.refuseOtherMethods();
}

/** The header says the same as the field, for callers that cannot change their bodies. */
const wantsAll = ({ headers }: FastifyRequest): boolean => headers['x-parley-explain'] === 'true';
