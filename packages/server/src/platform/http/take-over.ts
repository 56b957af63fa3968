import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Hands the bare response to who will write it themselves, with the headers that were set until now. */
export function takeOver(reply: FastifyReply): ServerResponse {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.hijack();
  return reply.raw;
}
