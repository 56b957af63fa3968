import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Random, uuid } from '../ids.ts';

const LONGEST_ECHO = 64;
/** Every answer has one, a UUID unless its protocol gives back what the client sent. */
export const REQUEST_ID = 'X-Request-Id';

/** Gives every answer the name its request came with, or a new one. */
export function echoRequestNames(app: FastifyInstance, random: Random): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header(REQUEST_ID, requestName(request, random));
    done();
  });
}

/** Only printable characters go back: nobody else's bytes are put into our headers and log lines. */
export function requestName({ headers }: FastifyRequest, random: Random): string {
  const given = headers['x-request-id'];
  const text = Array.isArray(given) ? given.join() : (given ?? '');
  return text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, LONGEST_ECHO) || uuid(random);
}
