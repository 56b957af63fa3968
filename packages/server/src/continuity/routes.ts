import * as declared from '@parley/protocol/continuity/routes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../wire/caller.ts';
import { isLoopbackAddress } from '../platform/http/client-address.ts';
import { RouteTable } from '../platform/http/route-table.ts';
import { requireScopes } from './access.ts';
import { forbidden } from '../wire/memory/errors.ts';
import type { ContinuityContext } from './create-module.ts';
import { continuityEvents } from './events.ts';
import {
  bytesOf,
  detailShape,
  LARGEST_READ,
  type MemoryLimits,
  requireSize,
  shapeDetailErrors,
} from '../wire/memory/plugin.ts';

export async function continuityRoutes(
  app: FastifyInstance,
  context: ContinuityContext,
  limits: MemoryLimits,
): Promise<void> {
  const { log } = context;
  const { service: continuity } = context.continuity;
  const operations = [...continuity.operations.values()].map(({ route }) => route);
  const names = new Map([...operations, declared.opsRun].map(({ path, name }) => [path, name]));
  shapeDetailErrors(app, log, (path) => names.get(path) ?? path);
  // Of capsules alone a body that is not JSON is told before anything is said of the caller.
  const shape = { ...detailShape(context.identity), parsesFirst: true };
  const table = new RouteTable<Caller>(app, shape, { bodyLimit: LARGEST_READ });
  for (const operation of continuity.operations.values()) {
    table.add(operation.route, async ({ caller, body, raw, request }) => {
      const bytes = bytesOf(request);
      await limits.spend(operation.route, caller, request);
      requireSize(operation.route, request);
      requireScopes(caller, operation.route);
      return await operation.run({
        caller,
        body: wantsAll(request) ? { ...asObject(body), explain: true } : body,
        raw,
        bytes,
      });
    });
  }
  table.add(declared.opsRun, async ({ caller, body, request }) => {
    await limits.spend(declared.opsRun, caller, request);
    requireSize(declared.opsRun, request);
    if (!isLoopbackAddress(request.clientAddress)) throw forbidden('Host ops endpoints are local-only');
    requireScopes(caller, declared.opsRun);
    return { ok: true, job_id: body.job_id, job_result: await continuity.runOps(caller, body) };
  });
  continuityEvents(table, context, limits);
  table.refuseOtherMethods();
}

/** The header says the same as the field, for callers that cannot change their bodies. */
const wantsAll = ({ headers }: FastifyRequest): boolean => headers['x-parley-explain'] === 'true';

const asObject = (body: unknown): object => (typeof body === 'object' && body !== null ? body : {});
