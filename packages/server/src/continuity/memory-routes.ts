import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { type Call, type RouteShape, RouteTable } from '../platform/http/route-table.ts';
import type { Log } from '../platform/log.ts';
import type { Caller, CallerGate } from '../wire/caller.ts';
import { detailShape, type MemoryLimits, shapeDetailErrors } from '../wire/memory/plugin.ts';
import { requireScopes } from './access.ts';

export interface MemoryRoutesOptions {
  readonly limits: MemoryLimits;
  /** What all its operations are called where a body is too large to be read; else each by its own name. */
  readonly module?: string;
  readonly shape?: (usual: RouteShape<Caller>) => RouteShape<Caller>;
  /** Told of each call that succeeded. */
  readonly done?: (route: RouteDeclaration, call: MemoryCall<unknown, unknown>, answer: object) => void;
}

export type MemoryCall<Body, Query = undefined> = Call<Caller, Body, Query>;

/** Routes of the memory protocols whose calls are counted and measured, and held against the scopes of the caller. */
export function memoryRoutes(
  app: FastifyInstance,
  { identity, log }: { readonly identity: CallerGate; readonly log: Log },
  { limits, module, shape = (usual) => usual, done }: MemoryRoutesOptions,
) {
  const nameAt = (path: string) => table.routes.find((route) => route.path === path)?.name ?? path;
  shapeDetailErrors(app, log, (path) => module ?? nameAt(path));
  const table = new RouteTable<Caller>(app, shape(detailShape(identity)));
  const add = <Body extends z.ZodType, Query extends z.ZodType>(
    route: RouteDeclaration<Body, Query>,
    run: (call: MemoryCall<z.output<Body>, z.output<Query>>) => Promise<object>,
  ): void =>
    table.add(route, async (call) => {
      await limits.admit(route, call.caller, call.request);
      requireScopes(call.caller, route);
      const answer = await run(call);
      done?.(route, call, answer);
      return answer;
    });
  return { table, add };
}
