import type { z } from 'zod';
import type { Scope } from './identity/scopes.ts';

/**
 * One HTTP route, declared once. Validation, the served endpoint tables, `/openapi.json`, tools and SDK methods
 * are all made from it, so they cannot drift apart.
 */
export interface RouteDeclaration<
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Auth extends string = string,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{id}` for parameters, as it is shown to clients. */
  readonly path: string;
  readonly auth: Auth;
  /** What a key must be allowed for any call of it; a call may need more, by what it asks for. */
  readonly scopes?: readonly Scope[];
  /** One line for people and models. */
  readonly summary: string;
  /** Absent: the route reads no body. A body that may be left out accepts `{}`. */
  readonly body?: Body;
  readonly query?: Query;
  /** Headers that it reads beside the credential, and what each is for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Status of the usual answer. */
  readonly success: number;
  /** In words for tables, where one status does not say it all. */
  readonly successes?: string;
  /** Other statuses that carry the same answer, for instance that of a repetition. */
  readonly otherSuccesses?: readonly number[];
  /** Statuses beside 204 that have nothing to tell. */
  readonly silent?: readonly number[];
  readonly answer?: Answer;
  /** Where the answer is a stream of server-sent events: the data of one of them. */
  readonly events?: z.ZodType;
  /** Where the answer is a text or a file and no JSON. */
  readonly media?: 'text/html' | 'text/plain' | 'text/markdown' | 'application/octet-stream';
  /** The path exists so that it can say plainly that it does nothing. */
  readonly unsupported?: { readonly status: number; readonly error: string; readonly hint: string };
}

/** Keeps the exact types of the schemas while checking the shape of the declaration. */
export function declareRoute<
  const Auth extends string,
  Body extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<undefined>,
  Answer extends z.ZodType = z.ZodType<undefined>,
>(route: RouteDeclaration<Body, Query, Auth, Answer>): RouteDeclaration<Body, Query, Auth, Answer> {
  return route;
}

/** What a call of the route is answered with. */
export type AnswerOf<Route extends RouteDeclaration> =
  Route extends RouteDeclaration<z.ZodType, z.ZodType, string, infer Answer> ? z.output<Answer> : never;

/** What a call of the route sends as its body. */
export type BodyOf<Route extends RouteDeclaration> =
  Route extends RouteDeclaration<infer Body> ? z.input<Body> : never;

/** What a call of the route may ask for in its URL, where everything becomes text. */
export type QueryOf<Route extends RouteDeclaration> =
  Route extends RouteDeclaration<z.ZodType, infer Query>
    ? { readonly [Name in keyof z.input<Query>]?: string | number | boolean | undefined }
    : never;

/** With it a call that got no answer is made again, and carried out once. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** Calls that cannot be undone are made with it, and so never by accident. */
export const CONFIRM_DESTRUCTIVE = 'X-Confirm-Destructive';

/** The one form in which a route can answer, if its declaration says one. */
export function answerForm(
  route: RouteDeclaration,
): 'json' | 'stream' | 'text' | 'nothing' | 'refusal' | undefined {
  if (route.answer) return 'json';
  if (route.events) return 'stream';
  if (route.media) return 'text';
  if (route.success === 204) return 'nothing';
  return route.unsupported ? 'refusal' : undefined;
}
