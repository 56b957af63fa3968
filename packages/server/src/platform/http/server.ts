import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Random, uuid } from '../ids.ts';
import { errorFields, type Log, loggablePath } from '../log.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import { callName } from './call-name.ts';
import { isAway, isFull, isUncertain } from '../database/errors.ts';
import { DomainError, sendError } from './domain-error.ts';
import { REQUEST_ID } from './request-id.ts';
import { QueuedResponses } from './queued-responses.ts';
import type { FreeDisk } from '../storage/free-disk.ts';
import type { Parts } from '../parts.ts';
import type { Entrance, Refused } from './entrance.ts';
import { allowOtherMethods, routesAgain, wentAgain } from './other-methods.ts';
import {
  isPath,
  type OwnedPaths,
  ownerOfPath,
  sendUnrouted,
  takeLiterally,
  writeMalformed,
} from './unrouted.ts';
import type { Socket } from 'node:net';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's address, with `X-Forwarded-For` resolved. Limits count by it. */
    clientAddress: string;
  }
  interface FastifyInstance {
    /** Answers that are not complete yet. */
    openResponses: Set<ServerResponse>;
  }
}

export interface HttpOptions extends Pick<Parts, 'log' | 'random'> {
  proxies: TrustedProxies;
  entrance: Entrance;
  disk: Pick<FreeDisk, 'isLow' | 'told'>;
  /** Who answers for which paths where no route can. */
  protocols?: readonly OwnedPaths[];
}

/** Bodies beyond this are refused before parsing; protocols set their own, lower limits. */
export const LARGEST_BODY = 1024 * 1024;
/** An overlong id is an unknown one, not an error of its own; the header block it comes in has a limit. */
const LONGEST_PARAMETER = Number.MAX_SAFE_INTEGER;
/** Stands for a body that is not UTF-8: no protocol can parse it. */
const UNREADABLE = '\ufffd';
const BODY_TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE';
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** The bare Fastify app: limits, one log line per request, common headers. Knows no protocol. */
export function createHttpServer({
  log,
  random,
  proxies,
  entrance,
  disk,
  protocols = [],
}: HttpOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: LARGEST_BODY,
    // Against senders that trickle a body for hours. It counts until the request is read, so parked polls are free of it.
    requestTimeout: 60_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: false,
    return503OnClosing: false,
    genReqId: requestIds(random),
    http: { headersTimeout: 15_000 },
    // Given, so that Fastify does not load its own, which would be a fifth of a start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { ignoreDuplicateSlashes: false, maxParamLength: LONGEST_PARAMETER },
    // Malformed percent escapes, and hosts before the path that are none.
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      const owner = isPath(request.url) ? ownerOfPath(protocols, request.url) : undefined;
      if (!owner) {
        takeLiterally(request.raw);
        app.routing(request.raw, reply.raw);
        return;
      }
      writeMalformed(owner, request, reply.raw, random);
      logRequest(request, 400, 0, clientAddress(request.raw, proxies));
    },
  });
  const queued = new QueuedResponses(app.server);
  const logRequest = (request: FastifyRequest, status: number, ms: number, ip: string): void =>
    log.info('http', { method: request.method, path: loggablePath(request.originalUrl), status, ms, ip });
  // Each protocol brings its own; what is routed nowhere is answered without reading its body.
  app.removeAllContentTypeParsers();
  shapeBareErrors(app, log);
  app.decorateRequest('clientAddress', '');
  const open = new Set<ServerResponse>();
  app.decorate('openResponses', open);
  // Not the framework's hook at the end of a response: it is not called for one that the client cut off, as every stream is.
  const forget = function (this: ServerResponse): void {
    open.delete(this);
  };
  allowOtherMethods(app);
  app.addHook('onRequest', (request, reply, done) => {
    if (routesAgain(app, request, reply)) return;
    open.add(reply.raw);
    reply.raw.on('close', forget);
    const address = clientAddress(request.raw, proxies);
    request.clientAddress = entrance.isForwarded(request.raw) ? `forwarded-${address}` : address;
    // Not on the bare response: headers set there make Node take its slow way of writing them.
    void reply.header('X-Content-Type-Options', 'nosniff').header(REQUEST_ID, uuid(random));
    // Fastify refuses a malformed type by itself, before a protocol that does not look at it could have a say.
    const { headers } = request.raw;
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
    const shut = notLetIn(request, entrance, protocols) ?? noRoom(request, disk, protocols);
    if (shut) void sendUnrouted(shut.owner, request, reply, random, shut.refused);
    else queued.whenDue(request.raw, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (wentAgain(request)) return done();
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    logRequest(request, reply.statusCode, ms, request.clientAddress);
    done();
  });
  return app;
}

/** Bodies and queries are checked by the schemas of the declarations, answers by nothing at run time. */
function noSchemas(): never {
  throw new TypeError('a route has a schema for Fastify, which knows none here');
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What no protocol owns is for everybody: any well-formed host, and any page. */
function notLetIn(
  { raw, method, url, routeOptions }: FastifyRequest,
  entrance: Entrance,
  protocols: readonly OwnedPaths[],
): { owner: OwnedPaths; refused: Refused } | undefined {
  const host = entrance.refusedHost(raw);
  const { origin, authorization } = raw.headers;
  if (!host && (origin === undefined || authorization !== undefined || READING.has(method))) return undefined;
  const owner = ownerOfPath(protocols, url);
  if (!owner) return undefined;
  const proven = owner.provenByBody?.has(routeOptions.url ?? '') ?? false;
  const refused = host ?? (proven ? undefined : entrance.refusedOrigin(raw));
  return refused && { owner, refused };
}

/**
 * What is stored already can be read, acknowledged and deleted. All that changes something else might add to it, and is
 * refused unless its protocol says that it does not.
 */
function noRoom(
  { method, url, routeOptions }: FastifyRequest,
  disk: Pick<FreeDisk, 'isLow' | 'told'>,
  protocols: readonly OwnedPaths[],
): { owner: OwnedPaths; refused: Refused } | undefined {
  if (!disk.isLow || READING.has(method) || method === 'DELETE' || !routeOptions.config.declaration)
    return undefined;
  const owner = ownerOfPath(protocols, url);
  if (!owner || owner.needNoRoom.has(callName(method, routeOptions.url ?? ''))) return undefined;
  return { owner, refused: { reason: 'disk', text: disk.told } };
}

/** Unique per request and cheap: a random prefix per start, then a counter. */
function requestIds(random: Random): () => string {
  const prefix = random.hex(4);
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

/**
 * Takes bodies as text whatever their type is called: each protocol's order of checks decides when they are
 * parsed. Broken UTF-8 is no text: decoded leniently it would be stored as something else. JSON is named beside
 * the rest because the framework remembers named types only.
 */
export function takeBodiesAsText(app: FastifyInstance, bodyLimit = LARGEST_BODY): void {
  app.removeAllContentTypeParsers();
  for (const type of ['application/json', '*']) {
    app.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (_request, body: Buffer, done) =>
      done(null, isUtf8(body) ? body.toString() : UNREADABLE),
    );
  }
}

/** Gives a plugin its protocol's error shape; whatever is not a domain error becomes `unexpected`. */
export function shapeErrors(
  app: FastifyInstance,
  log: Log,
  shape: {
    tooLarge?: (request: FastifyRequest) => DomainError;
    /** Turns other refusals of the framework into this protocol's error, if it has one. */
    known?: (code: string) => DomainError | undefined;
    unexpected(requestId: string): DomainError;
    /** Something that this protocol needs is away for a moment. Nothing was done, or, where it is uncertain, perhaps all of it. */
    away?: (state: { uncertain: boolean }) => DomainError;
    /** The disk ran full with this, before it was found to be low. Nothing was stored. */
    full?: () => DomainError;
  },
): void {
  app.setErrorHandler((error, request, reply) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const isTooLarge = code === BODY_TOO_LARGE;
    let answer: DomainError | undefined;
    if (error instanceof DomainError) answer = error;
    else answer = isTooLarge ? shape.tooLarge?.(request) : shape.known?.(code);
    if (!answer && isAway(error)) {
      log.warn('database_away', { request_id: request.id, ...errorFields(error) });
      answer = shape.away?.({ uncertain: isUncertain(error) });
    }
    if (!answer && isFull(error)) {
      log.error('disk_full', { request_id: request.id, ...errorFields(error) });
      answer = shape.full?.();
    }
    if (!answer) {
      // A client that goes away within its body is no fault of ours, and must not be able to fill the log with them.
      if (error !== request.raw.errored)
        log.error('unexpected_error', { request_id: request.id, ...errorFields(error) });
      answer = shape.unexpected(request.id);
    }
    if (isTooLarge) lingerOnClose(request.raw.socket);
    void sendError(reply, answer);
  });
}

/**
 * For what belongs to no protocol: pages, downloads, health. The framework would tell the words of a failure, and with them a file's
 * path or a statement; its own refusals say what the client did, and stay.
 */
function shapeBareErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
    if (status < 500) return reply.send(error);
    if (isAway(error)) {
      log.warn('database_away', { request_id: request.id, ...errorFields(error) });
      return reply
        .code(503)
        .header('Retry-After', '1')
        .send({ error: 'service_unavailable', request_id: request.id });
    }
    log.error('unexpected_error', { request_id: request.id, ...errorFields(error) });
    return reply.code(500).send({ error: 'internal_error', request_id: request.id });
  });
}

/** How long a client that stopped sending is waited for. */
const QUIET_MS = 5_000;

/**
 * For an answer that does not wait for the whole request. Closed at once, the connection would break for a client that is
 * still sending, before it reads why. So only our direction is closed, and what the client sends on is dropped, until it
 * closes, is quiet, or has used up the time a request may take.
 */
function lingerOnClose(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    socket.setTimeout(QUIET_MS, () => socket.destroy());
  };
}
