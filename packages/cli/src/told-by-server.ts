import { isObject } from '@parley/protocol/json';

type Body = Readonly<Record<string, unknown>>;

/** What `--json` shows of a refusal beside what every failure has: the rest of the server's own error object, and when to come back. */
export function toldByServer(
  status: number,
  body: Body,
  retryAfterSeconds: number | undefined,
): Readonly<Record<string, unknown>> {
  const { error: _error, code: _code, message: _message, hint: _hint, ...rest } = errorObject(body);
  const wait = Number.isFinite(retryAfterSeconds) && { retry_after_sec: retryAfterSeconds };
  return { ...rest, status, ...wait };
}

/** `{error: {code, message, …}}`, else the body itself. */
const errorObject = (body: Body): Body => (isObject(body['error']) ? body['error'] : body);
