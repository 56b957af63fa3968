import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnown } from '../../platform/http/etag.ts';

/** Answers 304 without a body when the client has this version already; else gives the answer its tag. */
export function answerWithTag<Answer extends { readonly etag: string }>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Answer | FastifyReply {
  void reply.header('ETag', answer.etag);
  return isKnown(request, answer.etag) ? reply.code(304).send() : answer;
}
