import { fastify, type FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Random } from '../ids.ts';
import { errorFields, type Log, loggablePath } from '../log.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import { DomainError } from './domain-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's address, with `X-Forwarded-For` resolved. Limits count by it. */
    clientAddress: string;
  }
}

export interface HttpOptions {
  log: Log;
  clock: Clock;
  random: Random;
  proxies: TrustedProxies;
}

/** Bodies beyond this are refused before parsing; protocols set their own, lower limits. */
const LARGEST_BODY = 1024 * 1024;

/** The bare Fastify app: limits, one log line per request, common headers. Knows no protocol. */
export function createHttpServer({ log, random, proxies }: HttpOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    disableRequestLogging: true,
    bodyLimit: LARGEST_BODY,
    // Parked polls and streams are held far longer than any request timeout; headers have a limit of their own.
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: false,
    return503OnClosing: false,
    genReqId: () => random.hex(8),
    http: { headersTimeout: 15_000 },
    routerOptions: { ignoreDuplicateSlashes: false, maxParamLength: 512 },
    // Malformed percent escapes never reach a route, so no protocol can shape this answer.
    frameworkErrors: (_error, _request, reply) => {
      reply.hijack();
      reply.raw.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":"bad_request"}');
    },
  });
  app.decorateRequest('clientAddress', '');
  app.addHook('onRequest', (request, reply, done) => {
    request.clientAddress = clientAddress(request.raw, proxies);
    reply.raw.setHeader('X-Content-Type-Options', 'nosniff');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    log.info('http', {
      method: request.method,
      path: loggablePath(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: request.clientAddress,
    });
    done();
  });
  return app;
}

/** Gives a plugin its protocol's error shape; whatever is not a domain error becomes `unexpected`. */
export function shapeErrors(
  app: FastifyInstance,
  log: Log,
  shape: {
    /** Turns the framework's own refusals (body too large, …) into this protocol's error, if it has one. */
    known(code: string): DomainError | undefined;
    unexpected(requestId: string): DomainError;
  },
): void {
  app.setErrorHandler((error, request, reply) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    let answer = error instanceof DomainError ? error : shape.known(code);
    if (!answer) {
      log.error('unexpected_error', { request_id: request.id, ...errorFields(error) });
      answer = shape.unexpected(request.id);
    }
    void reply.code(answer.status).headers(answer.headers()).send(answer.body());
  });
}
