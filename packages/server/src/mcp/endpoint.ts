import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/settings.ts';
import { isAway } from '../platform/database/errors.ts';
import { whileConnected } from '../platform/http/while-connected.ts';
import { hearingProgress } from '../platform/progress.ts';
import type { Caller, CallerGate } from '../wire/caller.ts';
import { errorFields, type Log } from '../platform/log.ts';
import { type Era, eraOf, eraOfHeaders, requireLegacyVersion, requireModernEnvelope } from './eras.ts';
import { callRoute } from './inner-call.ts';
import { type RpcRequest, requestFrom } from './message.ts';
import type { About } from '../platform/http/service-routes.ts';
import { methodOf, paramsFrom, resultFor } from './methods.ts';
import { ProgressReply, progressToken } from './progress.ts';
import { comeBack, INTERNAL_ERROR, METHOD_NOT_FOUND, RpcError, unauthorized } from './rpc-error.ts';
import type { ResourceSubscriptions } from './subscriptions.ts';
import { groupsFrom, TOOLS_HEADER } from './tool-list.ts';

export interface EndpointContext {
  readonly config: Pick<Config, 'mcpTools'>;
  readonly identity: CallerGate;
  readonly log: Log;
  readonly subscriptions: ResourceSubscriptions;
  readonly about: About;
}

/** One message, one answer. Nothing is remembered between two of them. */
export async function answer(
  app: FastifyInstance,
  context: EndpointContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { headers, body } = request;
  let message: RpcRequest | undefined;
  let era = eraOfHeaders(headers);
  let progress: ProgressReply | undefined;
  try {
    const caller = await admitted(context.identity, request);
    message = requestFrom(typeof body === 'string' ? body : '');
    if (!message) return reply.code(202).send();
    era = eraOf(message, headers);
    if (era === 'modern') requireModernEnvelope(message, headers);
    else requireLegacyVersion(headers);
    if (era === 'modern' && message.method === 'subscriptions/listen') {
      context.subscriptions.open(reply, message.id, (meta) => resultFor('modern', context.about, {}, meta));
      return reply;
    }
    const connected = whileConnected(reply);
    const asked = { message, era, caller, request, connected };
    const token = progressToken(message, request);
    if (token !== undefined) progress = new ProgressReply(context.subscriptions.face, reply, token);
    const result = await (progress
      ? hearingProgress(progress.tell.bind(progress), () => resultOf(app, context, asked))
      : resultOf(app, context, asked));
    const answered = { jsonrpc: '2.0', id: message.id, result: resultFor(era, context.about, result) };
    return progress?.end(answered) ? reply : reply.send(answered);
  } catch (error) {
    const refusal = refusalOf(context.log, request, error);
    const id = message?.id ?? refusal.id ?? (era === 'legacy' ? null : undefined);
    const refused = { ...refusal.body(), ...(id !== undefined && { id }) };
    if (progress?.end(refused)) return reply;
    return reply.code(refusal.status).headers(refusal.headers()).send(refused);
  }
}

interface Admitted {
  readonly message: RpcRequest;
  readonly era: Era;
  readonly caller: Caller | undefined;
  readonly request: FastifyRequest;
  readonly connected: AbortSignal;
}

async function resultOf(
  app: FastifyInstance,
  { config, about }: EndpointContext,
  { message, era, caller, request, connected }: Admitted,
): Promise<object> {
  const method = methodOf(era, message.method);
  if (!method) {
    throw new RpcError(METHOD_NOT_FOUND, 'Method not found', {
      status: era === 'modern' ? 404 : 200,
      data: { method: message.method },
    });
  }
  return await method({
    era,
    about,
    caller,
    params: paramsFrom(message.params),
    // Without a credential there is no agent whose attention would be spent: the list is the catalogue.
    hasChosen: request.headers[TOOLS_HEADER] !== undefined,
    groups: () => groupsFrom(request.headers[TOOLS_HEADER]) ?? (caller ? config.mcpTools : ['all']),
    ask: (call) => callRoute(app, request, connected, call),
  });
}

/** Nobody is refused for having no credential; who shows one must have a good one. */
async function admitted(
  gate: CallerGate,
  { headers, clientAddress }: FastifyRequest,
): Promise<Caller | undefined> {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const admission = await gate.bearer.admit(authorization, clientAddress);
  if (admission.kind === 'caller') return admission.caller;
  if (admission.kind === 'refused') throw unauthorized();
  throw comeBack(429, admission.retryAfterSec);
}

function refusalOf(log: Log, request: FastifyRequest, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (isAway(error)) {
    log.warn('database_away', { request_id: request.id, ...errorFields(error) });
    return comeBack(503);
  }
  log.error('unexpected_error', { request_id: request.id, ...errorFields(error) });
  return new RpcError(INTERNAL_ERROR, 'Internal error', { status: 500 });
}
