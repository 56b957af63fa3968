import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Random, uuid } from '../ids.ts';
import { loggablePath } from '../log.ts';
import { type CorsRules, originHeaders } from './cors.ts';
import { type DomainError, sendError } from './domain-error.ts';
import type { Refused } from './entrance.ts';
import { requestName } from './request-id.ts';

/** Paths that a protocol answers for even where nothing is routed, in its own shape. */
export interface OwnedPaths {
  /** Each with everything below it: `/v1/agent` owns `/v1/agent/x` but not `/v1/agents`. */
  readonly prefixes: readonly string[];
  /** Whether answers carry the request id they came with. */
  readonly echoesRequestIds: boolean;
  /** What else every answer of the protocol carries. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose pages may ask; preflight requests are then answered as they are where something is routed. */
  readonly cors?: CorsRules;
  notFound(): DomainError;
  /** A host that the server does not answer to, a page that may not do this, or no room on the disk. */
  notLetIn(refused: Refused): DomainError;
  /** Calls that go on when the disk is low, beside those that read or delete by their method; as `callsOf` names them. */
  readonly needNoRoom: ReadonlySet<string>;
  /** Routes whose body proves who asks; as they are declared. */
  readonly provenByBody?: ReadonlySet<string>;
  /** A path whose percent escapes cannot be read. */
  malformed(): DomainError;
}

/** A client that takes this server for a proxy names the host before the path. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The first that owns the path; undefined when none does. */
export function ownerOfPath(protocols: readonly OwnedPaths[], url: string): OwnedPaths | undefined {
  const path = loggablePath(url.replace(ORIGIN, ''));
  const owns = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
  return protocols.find(({ prefixes }) => prefixes.some(owns));
}

/** What the protocol answers of itself where none of its own hooks has run. */
export function sendUnrouted(
  owner: OwnedPaths,
  request: FastifyRequest,
  reply: FastifyReply,
  random: Random,
  refused?: Refused,
): FastifyReply {
  if (owner.cors) originHeaders(owner.cors)(request, (name, value) => reply.header(name, value));
  void reply.headers(unroutedHeaders(owner, request, random));
  if (refused) return sendError(reply, owner.notLetIn(refused));
  if (owner.cors && request.method === 'OPTIONS') return reply.code(204).send();
  return sendError(reply, owner.notFound());
}

/** Malformed escapes never reach a route or a hook, so the bare response is written here. */
export function writeMalformed(
  owner: OwnedPaths,
  request: FastifyRequest,
  response: ServerResponse,
  random: Random,
): void {
  const error = owner.malformed();
  if (owner.cors) originHeaders(owner.cors)(request, (name, value) => response.setHeader(name, value));
  response
    .writeHead(error.status, {
      'Content-Type': 'application/json; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      ...unroutedHeaders(owner, request, random),
      ...error.headers(),
    })
    .end(JSON.stringify(error.body()));
}

/**
 * Where nobody has an answer of their own to what cannot be read, the path is taken as it stands: `%zz` names something
 * unknown, like any other text, and so does a host that is none. Such a request can be routed again, and must not fail again:
 * whoever routes it would go round in circles until the stack is full. So it is a path in any case, and all of it is text.
 */
export function takeLiterally(request: IncomingMessage): void {
  const { url = '/' } = request;
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  const literal = `${isPath(url) ? '' : '/'}${path.replaceAll('%', '%25')}`;
  Object.assign(request, { originalUrl: url, url: literal + url.slice(path.length) });
}

export const isPath = (url: string): boolean => url.startsWith('/');

function unroutedHeaders(owner: OwnedPaths, request: FastifyRequest, random: Random): Record<string, string> {
  const name = owner.echoesRequestIds ? requestName(request, random) : uuid(random);
  return { 'X-Request-Id': name, 'Cache-Control': 'no-store', ...owner.headers };
}
