import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { API } from '@parley/protocol/api';
import type { RouteDeclaration } from '@parley/protocol/route';
import { EventStreamReader } from '@parley/sdk/event-stream-reader';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { z } from 'zod';

/*
 * Every answer of every server that a test starts in this process is held against what its route declares: form, status,
 * each member of the body and of each streamed event, and of refusals the error of its protocol. What differs fails the
 * test that was running. In production nothing is checked.
 */

const differences: string[] = [];

/** What was found since the last time. */
export const takeDifferences = (): string[] => differences.splice(0);

const callOf = ({ method, path }: RouteDeclaration): string => `${method} ${path}`;

const ERRORS = new Map<string, z.ZodType>(
  API.flatMap(({ routes, error }) => routes.map((route): [string, z.ZodType] => [callOf(route), error])),
);

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRequest', (request, reply, done) => {
    const { declaration } = request.routeOptions.config;
    if (declaration?.events) watchStream(declaration, reply.raw);
    done();
  });
  fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
    const { declaration } = request.routeOptions.config;
    if (declaration) checkAnswer(declaration, reply, payload);
    done(null, payload);
  });
});

function checkAnswer(route: RouteDeclaration, reply: FastifyReply, payload: unknown): void {
  const { statusCode: status } = reply;
  const isSuccess = status === route.success || (route.otherSuccesses?.includes(status) ?? false);
  if (status === 204 || status === 304 || route.silent?.includes(status)) {
    if (status === 204 && !isSuccess) tell(route, status, 'has no such answer');
    // Nothing is sent of a null.
    if (payload && payload !== 'null') tell(route, status, 'has a body');
    return;
  }
  const type = String(reply.getHeader('content-type'));
  if (isSuccess && (route.media ?? route.events)) {
    const wanted = route.media ?? 'text/event-stream';
    if (!type.startsWith(wanted)) tell(route, status, `is ${type} and not ${wanted}`);
    return;
  }
  const isRefusal = status >= 400 && (!isSuccess || route.unsupported !== undefined);
  if (!isSuccess && !isRefusal) return tell(route, status, 'has no such answer');
  // A page may be refused as a page, and one that is no part of the interface in whatever form.
  if (route.media && (type.startsWith(route.media) || !ERRORS.has(callOf(route)))) return;
  const schema = isRefusal ? ERRORS.get(callOf(route)) : route.answer;
  if (!schema) return tell(route, status, 'is declared nowhere');
  const text = textOf(payload);
  if (text === undefined) return;
  tellAll(route, status, schema, text);
}

/** Compressed answers and files are bytes of which nothing can be said. */
function textOf(payload: unknown): string | undefined {
  if (typeof payload === 'string') return payload;
  return Buffer.isBuffer(payload) ? payload.toString() : undefined;
}

/** What is written to a stream goes by here, in whatever pieces. */
function watchStream(route: RouteDeclaration, response: ServerResponse): void {
  const events = new EventStreamReader();
  const look = (chunk: unknown): void => {
    for (const { data } of events.push(textOf(chunk) ?? ''))
      if (route.events) tellAll(route, response.statusCode, route.events, data);
  };
  const write = response.write.bind(response);
  response.write = ((...args: Parameters<typeof write>) => {
    if (String(response.getHeader('content-type') ?? 'text/event-stream').startsWith('text/event-stream'))
      look(args[0]);
    return write(...args);
  }) as typeof response.write;
}

function tellAll(route: RouteDeclaration, status: number, schema: z.ZodType, json: string): void {
  const value: unknown = JSON.parse(json);
  const parsed = schema.safeParse(value);
  const found = parsed.success
    ? undeclared(value, parsed.data, '').filter((difference) => !ECHOED.test(difference))
    : parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`);
  for (const difference of found) tell(route, status, `${difference} in ${json.slice(0, 600)}`);
}

/** What a client asked to hear again of its request, on any route of the protocol. */
const ECHOED = /^\/body_received(_sha256)?:/;

/** Members that the schema let go by without knowing them. */
function undeclared(value: unknown, known: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof known !== 'object' || known === null) return [`${at}: is another thing`];
  return Object.entries(value).flatMap(([key, member]) =>
    Object.hasOwn(known, key)
      ? undeclared(member, known[key as keyof typeof known], `${at}/${key}`)
      : [`${at}/${key}: is not declared`],
  );
}

function tell(route: RouteDeclaration, status: number, difference: string): void {
  differences.push(`${route.name} (${callOf(route)}) answered ${status}: ${difference}`);
}
