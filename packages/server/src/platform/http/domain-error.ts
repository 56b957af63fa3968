import type { FastifyReply } from 'fastify';

/**
 * What modules throw. Each protocol has its own subclass with its own catalogue and wire shape; the
 * protocol's plugin turns it into an answer, so that nobody builds an error body by hand.
 */
export abstract class DomainError extends Error {
  abstract readonly status: number;
  abstract body(): object;

  headers(): Readonly<Record<string, string>> {
    return {};
  }
}

export const sendError = (reply: FastifyReply, error: DomainError): FastifyReply =>
  reply.code(error.status).headers(error.headers()).send(error.body());
