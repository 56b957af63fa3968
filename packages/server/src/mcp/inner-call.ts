import { isObject } from '@parley/protocol/continuity/preserve-nulls';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance, FastifyRequest } from 'fastify';

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
  { route, params = {}, query = {}, body, headers = {} }: RouteCall,
): Promise<RouteAnswer> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const text = new URLSearchParams(query).toString();
  const passed = PASSED_ON.flatMap((name) => {
    const value = from.headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const { statusCode, payload } = await app.inject({
    method: route.method,
    url: text === '' ? path : `${path}?${text}`,
    remoteAddress: from.raw.socket.remoteAddress ?? '',
    headers: {
      ...Object.fromEntries(passed),
      ...headers,
      ...(route.body && { 'content-type': 'application/json' }),
    },
    ...(route.body && { payload: JSON.stringify(body ?? {}) }),
  });
  return { status: statusCode, body: bodyOf(payload) };
}

function bodyOf(payload: string): Readonly<Record<string, unknown>> {
  if (payload === '') return { ok: true };
  try {
    const value: unknown = JSON.parse(payload);
    return isObject(value) ? value : { value };
  } catch {
    return { text: payload };
  }
}
