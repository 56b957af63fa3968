import type { FastifyInstance } from 'fastify';

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
  const { origins } = rules;
  const exposed = rules.exposedHeaders?.join(', ');
  const methods = rules.methods.join(', ');
  const requestHeaders = rules.requestHeaders.join(', ');
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply;
    const origin = request.headers.origin;
    if (origins !== 'any') raw.setHeader('Vary', 'Origin');
    const allowed = origins === 'any' ? '*' : origins.find((known) => known === origin);
    if (allowed !== undefined) {
      raw.setHeader('Access-Control-Allow-Origin', allowed);
      if (exposed !== undefined) raw.setHeader('Access-Control-Expose-Headers', exposed);
    }
    if (request.method !== 'OPTIONS') {
      done();
      return;
    }
    if (allowed !== undefined) {
      raw.setHeader('Access-Control-Allow-Methods', methods);
      raw.setHeader('Access-Control-Allow-Headers', requestHeaders);
      raw.setHeader('Access-Control-Max-Age', '600');
    }
    void reply.code(204).send();
  });
}
