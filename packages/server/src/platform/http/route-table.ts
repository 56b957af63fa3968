import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { DomainError } from './domain-error.ts';
import { asRouted } from './call-name.ts';
import { isNestedDeeper } from './nesting.ts';
import { onOtherMethods } from './other-methods.ts';
import { compiled } from './schema.ts';
import { takeBodiesAsText } from './server.ts';

/** What a protocol decides about its routes: who calls, what is refused first, and how refusals look. */
export interface RouteShape<Caller> {
  /** Limits that hold before the caller is known. */
  limit?(route: RouteDeclaration, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  authenticate(route: RouteDeclaration, request: FastifyRequest): Promise<Caller>;
  /** Limits by who calls, before anything is said of what is asked for. */
  count?(caller: Caller, reply: FastifyReply): Promise<void>;
  invalidJson(): DomainError;
  /** Where bodies are refused that are nested deeper than anybody needs. */
  tooDeep?(): DomainError;
  /** Where a name that objects cannot have is told, instead of being lost on the way. */
  hiddenName?(): DomainError;
  /** Where a body that is not JSON is told before anything is said of the caller. */
  readonly parsesFirst?: boolean;
  /** Bodies beyond this are refused where the body is looked at, not before the caller is known. */
  readonly longestBody?: { readonly bytes: number; refuse(): DomainError };
  /** Where leaving the body out is no way to send `{}`. */
  emptyBody?(): DomainError;
  /** `value` is what was checked, to tell a field that is missing from one of the wrong type. */
  invalid(where: 'body' | 'query', issues: readonly z.core.$ZodIssue[], value: unknown): DomainError;
  methodNotAllowed(allowed: readonly string[]): DomainError;
}

/** What stands in the path, by name. */
export type Params = Readonly<Record<string, string>>;

export interface Call<Caller, Body, Query> {
  readonly caller: Caller;
  readonly body: Body;
  /** The body as it was sent, before the schema. */
  readonly raw: unknown;
  readonly query: Query;
  readonly params: Params;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What it answers as; a route without one only refuses other methods. */
    readonly declaration?: RouteDeclaration;
  }
}

/**
 * Turns declarations into routes. Order of checks for each: method, early limits, caller, limits of the caller, body,
 * query, then the handler with its own rules. Bodies arrive as text whatever their content type says.
 */
export class RouteTable<Caller> {
  readonly routes: RouteDeclaration[] = [];
  readonly #app: FastifyInstance;
  readonly #shape: RouteShape<Caller>;

  constructor(app: FastifyInstance, shape: RouteShape<Caller>, { bodyLimit }: { bodyLimit?: number } = {}) {
    this.#app = app;
    this.#shape = shape;
    takeBodiesAsText(app, bodyLimit);
  }

  add<Body extends z.ZodType, Query extends z.ZodType>(
    route: RouteDeclaration<Body, Query>,
    handler: (call: Call<Caller, z.output<Body>, z.output<Query>>) => unknown,
  ): void {
    const body = route.body && compiled(route.body);
    const query = route.query && compiled(route.query);
    const shape = this.#shape;
    this.routes.push(route);
    this.#app.route<{ Params: Record<string, string> }>({
      method: route.method,
      url: asRouted(route.path),
      config: { declaration: route },
      exposeHeadRoute: route.method === 'GET',
      handler: async (request, reply) => {
        await shape.limit?.(route, request, reply);
        const early = body && shape.parsesFirst ? { value: this.#parsed(request.body) } : undefined;
        const caller = await shape.authenticate(route, request);
        await shape.count?.(caller, reply);
        const raw = body && (early ?? { value: this.#parsed(request.body) }).value;
        // The schemas' outputs are the declared types; a route without a schema declares `undefined`.
        const input = {
          body: body ? this.#checked(body, 'body', raw) : undefined,
          query: query ? this.#checked(query, 'query', request.query) : undefined,
        } as { body: z.output<Body>; query: z.output<Query> };
        // Field by field: this runs for every request, and objects put together from parts are slow ones.
        const answer = await handler({
          caller,
          body: input.body,
          raw,
          query: input.query,
          params: request.params,
          request,
          reply,
        });
        if (reply.sent || answer === reply) return reply;
        return reply.code(route.success).send(answer);
      },
    });
  }

  /** Answers 405 with `Allow` for every other method of the paths added so far. */
  refuseOtherMethods(): void {
    const allowed = new Map<string, string[]>();
    for (const { path, method } of this.routes) {
      const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
      allowed.set(path, [...(allowed.get(path) ?? []), ...methods]);
    }
    for (const [path, methods] of allowed) {
      onOtherMethods(this.#app, asRouted(path), () => {
        throw this.#shape.methodNotAllowed(methods);
      });
    }
  }

  #parsed(raw: unknown): unknown {
    const { longestBody } = this.#shape;
    if (longestBody && typeof raw === 'string' && Buffer.byteLength(raw) > longestBody.bytes)
      throw longestBody.refuse();
    if (typeof raw !== 'string' || raw.trim() === '') return this.#shape.emptyBody ? NOTHING : {};
    if (this.#shape.tooDeep && isNestedDeeper(raw)) throw this.#shape.tooDeep();
    const value = this.#json(raw);
    if (this.#shape.hiddenName && mayHideName(raw) && hidesName(value)) throw this.#shape.hiddenName();
    return value;
  }

  #json(raw: string): unknown {
    try {
      return JSON.parse(raw);
    } catch {
      throw this.#shape.invalidJson();
    }
  }

  #checked(schema: ReturnType<typeof compiled>, where: 'body' | 'query', value: unknown): unknown {
    if (value === NOTHING && this.#shape.emptyBody) throw this.#shape.emptyBody();
    const result = schema(value);
    if (!result.success) throw this.#shape.invalid(where, result.error.issues, value);
    return result.data;
  }
}

/** Stands for a body that was left out. */
const NOTHING = Symbol('no body');

const HIDDEN = '__proto__';

/** Cheap, and true for every text that could hold the name: as it is, or with some of it written as an escape. */
export const mayHideName = (json: string): boolean => json.includes(HIDDEN) || json.includes('\\u');

/** Whether some object has a member `__proto__`. Copying an object loses it, or gives the copy another prototype. */
export function hidesName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, HIDDEN)) return true;
  return Object.values(value).some(hidesName);
}
