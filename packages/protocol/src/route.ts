import type { z } from 'zod';

/**
 * One HTTP route, declared once. Validation, the served endpoint tables, `/openapi.json`, tools and SDK methods
 * are all made from it, so they cannot drift apart.
 */
export interface RouteDeclaration<
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Auth extends string = string,
> {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{id}` for parameters, as it is shown to clients. */
  readonly path: string;
  readonly auth: Auth;
  /** One line for people and models. */
  readonly summary: string;
  /** Absent: the route reads no body. A body that may be left out accepts `{}`. */
  readonly body?: Body;
  readonly query?: Query;
  /** Status of the usual answer. */
  readonly success: number;
  /** In words for tables, where one status does not say it all. */
  readonly successes?: string;
  readonly answer?: z.ZodType;
  /** The path exists so that it can say plainly that it does nothing. */
  readonly unsupported?: { readonly status: number; readonly error: string; readonly hint: string };
}

/** Keeps the exact types of the schemas while checking the shape of the declaration. */
export function declareRoute<
  const Auth extends string,
  Body extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<undefined>,
>(route: RouteDeclaration<Body, Query, Auth>): RouteDeclaration<Body, Query, Auth> {
  return route;
}
