import { isObject, parsedJson } from '@parley/protocol/json';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';
import { asking } from './asking.ts';
import { INTERNAL_ERROR, RpcError } from './rpc-error.ts';

/** What a route is asked for. */
export interface RouteCall {
  readonly route: RouteDeclaration;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteAnswer {
  readonly status: number;
  /** In how many seconds the same may be asked again. */
  readonly retryAfter?: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What says who asks and from where; limits, audit and the checks at the entrance go by these. */
const PASSED_ON = [
  'authorization',
  'host',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'forwarded',
  'x-real-ip',
  'via',
] as const;

/**
 * Asks a route of this server as a client would, without a socket: the same limits, checks, rules and errors hold, because it
 * is the same way.
 */
export async function callRoute(
  app: FastifyInstance,
  from: FastifyRequest,
  connected: AbortSignal,
  { route, params = {}, query = {}, body, headers = {} }: RouteCall,
): Promise<RouteAnswer> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(nameable(params[name] ?? '')),
  );
  const text = new URLSearchParams(query).toString();
  const passed = PASSED_ON.flatMap((name) => {
    const value = from.headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const inner: InjectOptions = {
    method: route.method,
    url: text === '' ? path : `${path}?${text}`,
    remoteAddress: from.raw.socket.remoteAddress ?? '',
    headers: {
      ...Object.fromEntries(passed),
      ...headers,
      ...(route.body && { 'content-type': 'application/json' }),
    },
    ...(route.body && { payload: JSON.stringify(body ?? {}) }),
  };
  try {
    const { statusCode, headers: told, payload } = await asking.run(connected, () => app.inject(inner));
    return { status: statusCode, retryAfter: told['retry-after']?.toString(), body: bodyOf(payload) };
  } catch (error) {
    if (!connected.aborted) throw error;
    throw new RpcError(INTERNAL_ERROR, 'The client has hung up', { status: 500 });
  }
}

/** Half a character cannot stand in a URL, and dots alone would lead to another route: they become what names nothing. */
const nameable = (text: string): string =>
  text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/^\.{1,2}$/, '\ufffd');

function bodyOf(payload: string): Readonly<Record<string, unknown>> {
  if (payload === '') return { ok: true };
  const value = parsedJson(payload);
  if (value === undefined) return { text: payload };
  return isObject(value) ? value : { value };
}
