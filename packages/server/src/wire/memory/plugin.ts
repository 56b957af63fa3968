import { MAX_REQUEST_BYTES } from '@parley/protocol/continuity/limits';
import * as memory from '@parley/protocol/continuity/routes';
import * as coordination from '@parley/protocol/coordination/routes';
import * as schedule from '@parley/protocol/schedule/routes';
import * as knowledge from '@parley/protocol/knowledge/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, CallerGate } from '../caller.ts';
import { MAYBE_DONE } from '../maybe-done.ts';
import { bearerToken } from '../../platform/auth/bearer.ts';
import { callsOf } from '../../platform/http/call-name.ts';
import type { RouteShape } from '../../platform/http/route-table.ts';
import { LARGEST_BODY, shapeErrors } from '../../platform/http/server.ts';
import type { OwnedPaths } from '../../platform/http/unrouted.ts';
import { type Config, limitOf } from '../../config/settings.ts';
import type { Limiter, Wait } from '../../platform/limits/limiter.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Log } from '../../platform/log.ts';
import { COME_BACK, DetailError, UnhandledError } from './errors.ts';
import { invalidJson, missingBody, schemaError } from './schema-errors.ts';
import { MINUTE } from '../../platform/units.ts';
import { keepNowhere } from '../../platform/http/no-store.ts';

/** How the memory protocols take callers and refuse bodies. */
export function detailShape(gate: CallerGate): RouteShape<Caller> {
  return {
    invalidJson,
    emptyBody: missingBody,
    invalid: schemaError,
    hiddenName: () => new DetailError(400, 'No object may have a member named __proto__'),
    methodNotAllowed: (allow) =>
      new DetailError(405, 'Method Not Allowed', { headers: { Allow: allow.join(', ') } }),
    authenticate: (_route, request) => callerOf(gate, request),
  };
}

async function callerOf(gate: CallerGate, request: FastifyRequest): Promise<Caller> {
  if (request.person?.caller) return request.person.caller;
  const { authorization } = request.headers;
  if (authorization === undefined) throw unauthorized('Missing Authorization header');
  if (bearerToken(authorization) === undefined) throw unauthorized('Invalid Authorization header');
  const admission = await gate.bearer.admit(authorization, request.clientAddress);
  if (admission.kind === 'caller') return admission.caller;
  if (admission.kind === 'limited') throw tooMany(admission);
  throw unauthorized(REFUSALS[admission.reason] ?? 'Invalid token');
}

const REFUSALS: Readonly<Record<string, string>> = {
  rotated: 'Token revoked',
  revoked: 'Token revoked',
  expired: 'Token expired',
};

const unauthorized = (text: string): DetailError =>
  new DetailError(401, text, { headers: { 'WWW-Authenticate': 'Bearer' } });

const tooMany = ({ retryAfterSec, told = '' }: Wait): DetailError =>
  new DetailError(429, `Rate limit exceeded; retry after ${retryAfterSec} seconds. ${told}`.trimEnd(), {
    headers: { 'Retry-After': String(retryAfterSec) },
  });

/** `operationAt` names the operation of a path. */
export function shapeDetailErrors(
  app: FastifyInstance,
  log: Log,
  operationAt: (path: string) => string,
): void {
  shapeErrors(app, log, {
    // Up to that a body is read, to be refused in the words of the protocol; the limit itself is lower.
    tooLarge: ({ url, headers }) =>
      tooLarge(operationAt(url), Number(headers['content-length'] ?? LARGEST_BODY + 1)),
    unexpected: () => new UnhandledError('unexpected failure'),
    away: ({ uncertain }) =>
      new DetailError(
        503,
        uncertain
          ? `The database does not answer: ${MAYBE_DONE}`
          : 'The database does not answer for a moment; nothing was done, so try again',
        AWAY,
      ),
    full: () =>
      new DetailError(REFUSED.disk, "The server's disk is full: nothing was stored. Reading goes on."),
  });
  keepNowhere(app);
}

const AWAY = { headers: COME_BACK, code: 'service_unavailable' } as const;

const tooLarge = (operation: string, bytes: number): DetailError =>
  new DetailError(413, `Payload too large for ${operation}: ${bytes} bytes > limit ${MAX_REQUEST_BYTES}`);

/** The text of a body has one character per byte or fewer, so most need no counting. */
const bytesOf = ({ body }: FastifyRequest): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : 0;

export interface MemoryLimits {
  /** Counts one call of an operation, by key and by address, then measures what was sent. */
  admit(route: RouteDeclaration, caller: Caller, request: FastifyRequest): Promise<number>;
}

export function memoryLimits(
  config: Pick<Config, 'rlMemoryPerToken' | 'rlMemoryPerIp'>,
  limits: Limits,
): MemoryLimits {
  const windowMs = MINUTE;
  const perToken = limits.slidingWindow('memory.token', { ...limitOf(config, 'rlMemoryPerToken'), windowMs });
  const perAddress = limits.slidingWindow('memory.address', {
    ...limitOf(config, 'rlMemoryPerIp'),
    windowMs,
    byAddress: true,
  });
  return {
    async admit({ name }, caller, request) {
      await take(perToken, `${name} ${caller.keyId}`);
      await take(perAddress, `${name} ${request.clientAddress}`);
      const bytes = bytesOf(request);
      if (bytes > MAX_REQUEST_BYTES) throw tooLarge(name, bytes);
      return bytes;
    },
  };
}

async function take(limiter: Limiter, key: string): Promise<void> {
  const verdict = await limiter.take(key);
  if (!verdict.ok) throw tooMany(verdict);
}

const REFUSED = { host: 421, origin: 403, disk: 507 } as const;

/** Calls that read although their method could change something. */
export const READ_BY_POST: readonly RouteDeclaration[] = [
  memory.read,
  memory.list,
  memory.search,
  memory.history,
  memory.diff,
  memory.compare,
  knowledge.search,
  knowledge.recent,
  knowledge.retrieve,
];

export const memoryPaths: OwnedPaths = {
  prefixes: [
    '/v1/continuity',
    '/v1/ops',
    '/v1/schedule',
    '/v1/coordination',
    '/v1/peers',
    '/v1/write',
    '/v1/read',
    '/v1/append',
    '/v1/index',
    '/v1/search',
    '/v1/recent',
    '/v1/tasks',
    '/v1/context',
  ],
  echoesRequestIds: false,
  notFound: () => new DetailError(404, 'Not Found'),
  notLetIn: ({ reason, text }) => new DetailError(REFUSED[reason], text),
  needNoRoom: callsOf(
    ...READ_BY_POST,
    // Making room. A plan takes the place of the one before.
    memory.remove,
    memory.refreshPlan,
    memory.retentionPlan,
    memory.opsRun,
    // Acknowledging and ending.
    schedule.acknowledge,
    schedule.retire,
    coordination.handoffConsume,
    coordination.reconciliationResolve,
    coordination.peerTrust,
    knowledge.changeTask,
  ),
  malformed: () => new DetailError(400, 'Malformed percent escape in path'),
};
