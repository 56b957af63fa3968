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
    // Not on the bare response: headers set there make Node take its slow way of writing them.
    nameOrigin(request, (name, value) => reply.header(name, value));
    if (request.method === 'OPTIONS') void reply.code(204).send();
    else done();
  });
}

/** Tells the browser on a response whether the page that asked may have it. */
export function originHeaders(
  rules: CorsRules,
): (request: FastifyRequest, set: (name: string, value: string) => unknown) => void {
  const { origins } = rules;
  const exposed = rules.exposedHeaders?.join(', ');
  const methods = rules.methods.join(', ');
  const requestHeaders = rules.requestHeaders.join(', ');
  return ({ headers, method }, set) => {
    if (origins !== 'any') set('Vary', 'Origin');
    const allowed = origins === 'any' ? '*' : origins.find((known) => known === headers.origin);
    if (allowed === undefined) return;
    set('Access-Control-Allow-Origin', allowed);
    if (exposed !== undefined) set('Access-Control-Expose-Headers', exposed);
    if (method !== 'OPTIONS') return;
    set('Access-Control-Allow-Methods', methods);
    set('Access-Control-Allow-Headers', requestHeaders);
    set('Access-Control-Max-Age', '600');
  };
}
