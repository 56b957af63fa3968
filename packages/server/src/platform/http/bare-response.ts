import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** The bare response for who will write it themselves, with the headers that were set until now. */
export function bareResponse(reply: FastifyReply): ServerResponse {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply.raw;
}
