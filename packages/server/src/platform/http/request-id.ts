import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Random, uuid } from '../ids.ts';

const LONGEST_ECHO = 64;
const HEADER = 'X-Request-Id';

/** Names every answer with a UUID. */
export function nameRequests(app: FastifyInstance, random: Random): void {
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.header(HEADER, uuid(random));
    done();
  });
}

/** Gives every answer the name its request came with, or a new one. */
export function echoRequestNames(app: FastifyInstance, random: Random): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header(HEADER, requestName(request, random));
    done();
  });
}

/** Only printable characters go back: nobody else's bytes are put into our headers and log lines. */
export function requestName({ headers }: FastifyRequest, random: Random): string {
  const given = headers['x-request-id'];
  const text = Array.isArray(given) ? given.join() : (given ?? '');
  return text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, LONGEST_ECHO) || uuid(random);
}
