import { isObject } from '@parley/protocol/json';
import type { RouteDeclaration } from '@parley/protocol/route';
import { asText } from '@parley/sdk/refusal';
import { CliError, unreachable } from '../cli-error.ts';

export interface CallOptions {
  token?: string;
  body?: object;
}

const PATIENCE_MS = 15_000;

/** One call of a declared route. The answer is checked against the declaration; a refusal becomes a `CliError`. */
export async function callRoute(
  server: string,
  route: RouteDeclaration,
  { token, body }: CallOptions,
): Promise<unknown> {
  const response = await fetch(`${server}${route.path}`, {
    method: route.method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    // A redirect would carry the key to wherever it points.
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error: unknown) => {
    throw unreachable(server, error);
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.status !== route.success) throw refusal(server, response.status, answer);
  const checked = route.answer?.safeParse(answer);
  if (checked?.success === false) {
    throw new CliError('unexpected_answer', `parley: ${server} does not answer as a Parley server does`);
  }
  return answer;
}

/** Both error shapes a server has: `{error, hint}` and `{error: {code, message}}`. */
function refusal(server: string, status: number, answer: unknown): CliError {
  const { error, hint } = isObject(answer) ? answer : {};
  const { code, message } = isObject(error) ? error : {};
  const said = asText(message) ?? asText(hint) ?? `status ${status}`;
  return new CliError(asText(code) ?? asText(error) ?? 'refused', `parley: ${server} refused: ${said}`, {
    details: { status },
  });
}

/** The server as it is called and as it stands in the credentials file. */
export function serverUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new CliError('invalid_server', `parley: ${JSON.stringify(given)} is not the URL of a server`);
  }
  return url.href.replace(/\/+$/, '');
}
