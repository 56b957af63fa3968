import type { FastifyInstance } from 'fastify';

/** For answers that are of this moment, or for this caller alone: nothing on the way keeps them. */
export function keepNowhere(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.header('Cache-Control', 'no-store');
    done();
  });
}
