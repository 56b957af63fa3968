import type { FastifyRequest } from 'fastify';

/** The invite code of a registration, from the body or the `X-Parley-Invite` header. */
export function inviteOf({ headers }: FastifyRequest, fromBody: string | undefined): string | undefined {
  const header = headers['x-parley-invite'];
  return fromBody ?? (typeof header === 'string' && header.trim() !== '' ? header.trim() : undefined);
}
