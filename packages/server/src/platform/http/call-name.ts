import type { RouteDeclaration } from '@parley/protocol/route';

/** The path as the router spells it. */
export function asRouted(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** What a request asks for, as far as method and path tell; the path as the router spells it. */
export const callName = (method: string, path: string): string => `${method} ${path}`;

export const callsOf = (...routes: readonly RouteDeclaration[]): ReadonlySet<string> =>
  new Set(routes.map(({ method, path }) => callName(method, asRouted(path))));
