import type { FastifyRequest } from 'fastify';

/** Whether the client has this version already. A weak comparison, as `If-None-Match` wants it. */
export function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',') ?? [];
  return known.some((tag) => tag.trim() === '*' || bare(tag) === bare(etag));
}

const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
