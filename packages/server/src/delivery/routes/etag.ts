import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers 304 without a body when the client has this version already; else gives the answer its tag. */
export function answerWithTag<Answer extends { readonly etag: string }>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Answer | FastifyReply {
  void reply.header('ETag', answer.etag);
  return matches(request.headers['if-none-match'], answer.etag) ? reply.code(304).send() : answer;
}

const bare = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Weak comparison, as `If-None-Match` wants it. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag));
}
