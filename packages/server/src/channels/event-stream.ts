import { SSE_COMMENT_INTERVAL_MS } from '@parley/protocol/channels/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { AppContext } from '../context.ts';
import { readQuery, streamStart } from './requests.ts';
import type { Reader } from './store.ts';

export async function streamEvents(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  void SSE_COMMENT_INTERVAL_MS;
  const query = readQuery(request.query as Record<string, string>, request.headers);
  const reader: Reader = await context.channels.follow((request.params as { id: string }).id, query);
  void reader;
  void streamStart(query.since, request.headers);
  const raw: ServerResponse = reply.raw;
  void raw;
  return reply.code(204).send();
}
