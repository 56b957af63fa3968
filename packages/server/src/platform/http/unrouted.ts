import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Random, uuid } from '../ids.ts';
import { loggablePath } from '../log.ts';
import type { DomainError } from './domain-error.ts';
import { requestName } from './request-id.ts';

/** Paths that a protocol answers for even where nothing is routed, in its own shape. */
export interface OwnedPaths {
  /** Each with everything below it: `/v1/agent` owns `/v1/agent/x` but not `/v1/agents`. */
  readonly prefixes: readonly string[];
  /** Whether answers carry the request id they came with. */
  readonly echoesRequestIds: boolean;
  notFound(): DomainError;
}

/** The first that owns the path; undefined when none does. */
export function ownerOfPath(protocols: readonly OwnedPaths[], url: string): OwnedPaths | undefined {
  const path = loggablePath(url);
  const owns = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
  return protocols.find(({ prefixes }) => prefixes.some(owns));
}

export function sendNotFound(
  owner: OwnedPaths,
  request: FastifyRequest,
  reply: FastifyReply,
  random: Random,
): FastifyReply {
  const error = owner.notFound();
  const name = owner.echoesRequestIds ? requestName(request, random) : uuid(random);
  return reply
    .code(error.status)
    .headers({ 'X-Request-Id': name, 'Cache-Control': 'no-store', ...error.headers() })
    .send(error.body());
}
