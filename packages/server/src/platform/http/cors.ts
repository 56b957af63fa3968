import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface CorsRules {
  readonly origins: 'any' | readonly string[];
  readonly methods: readonly string[];
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders?: readonly string[];
}

/**
 * Lets pages of the named origins call a plugin's routes, and answers their preflight requests. No cookies are involved
 * anywhere, so a credential never travels without the page having it.
 */
export function allowOrigins(app: FastifyInstance, rules: CorsRules): void {
  const nameOrigin = originHeaders(rules);
  app.addHook('onRequest', (request, reply, done) => {
    nameOrigin(request, reply.raw);
    if (request.method === 'OPTIONS') void reply.code(204).send();
    else done();
  });
}

/** Tells the browser on a response whether the page that asked may have it. */
export function originHeaders(rules: CorsRules): (request: FastifyRequest, response: ServerResponse) => void {
  const { origins } = rules;
  const exposed = rules.exposedHeaders?.join(', ');
  const methods = rules.methods.join(', ');
  const requestHeaders = rules.requestHeaders.join(', ');
  return ({ headers, method }, response) => {
    if (origins !== 'any') response.setHeader('Vary', 'Origin');
    const allowed = origins === 'any' ? '*' : origins.find((known) => known === headers.origin);
    if (allowed === undefined) return;
    response.setHeader('Access-Control-Allow-Origin', allowed);
    if (exposed !== undefined) response.setHeader('Access-Control-Expose-Headers', exposed);
    if (method !== 'OPTIONS') return;
    response.setHeader('Access-Control-Allow-Methods', methods);
    response.setHeader('Access-Control-Allow-Headers', requestHeaders);
    response.setHeader('Access-Control-Max-Age', '600');
  };
}
