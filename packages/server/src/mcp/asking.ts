import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

/** Aborted with the message on whose behalf a route is asked. */
export const asking = new AsyncLocalStorage<AbortSignal>();

/**
 * What is asked on behalf of a message ends with it: a client that hung up should not leave a long poll behind that takes
 * the next message and hands it to nobody.
 */
export function endWithTheirAsker(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    const signal = asking.getStore();
    if (signal?.aborted) reply.raw.destroy();
    else signal?.addEventListener('abort', () => reply.raw.destroy(), { once: true });
    done();
  });
}
