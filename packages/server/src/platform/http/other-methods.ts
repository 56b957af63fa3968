import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Stands in the router for every method that a path does not take. Registered for each of them by itself, refusals would be most
 * of the routes: a tenth of the time of a start and of the memory that it needs. Nobody sends this one.
 */
const ANY_OTHER = 'UNBIND';

/** By the request as Node gives it: the first way it went, and what it asked for before it was routed again. */
const firstWays = new WeakMap<
  IncomingMessage,
  { readonly request: FastifyRequest; readonly method: string }
>();

export function allowOtherMethods(app: FastifyInstance): void {
  app.addHttpMethod(ANY_OTHER);
}

/** What a path answers to a method for which nothing is routed there. */
export function onOtherMethods(app: FastifyInstance, url: string, handler: () => never): void {
  app.route({ method: ANY_OTHER, url, handler });
}

/** Routes what found nothing once more, as what stands for other methods; `wentAgain` then tells that this way is at its end. */
export function routesAgain(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): boolean {
  const { raw, method } = request;
  const first = firstWays.get(raw);
  if (first) {
    raw.method = first.method;
    return false;
  }
  if (!request.is404) return false;
  reply.hijack();
  firstWays.set(raw, { request, method });
  raw.method = ANY_OTHER;
  app.routing(raw, reply.raw);
  return true;
}

export const wentAgain = (request: FastifyRequest): boolean =>
  firstWays.get(request.raw)?.request === request;
