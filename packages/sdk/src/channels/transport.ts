/** How requests reach a server. Paths are relative to the server's base URL. */
export interface Transport {
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Like `request`, but a 200 is handed over as it arrives. */
  stream(request: HttpRequest): Promise<HttpStream>;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
  /** Whether doing it twice does no harm: it is then repeated when a kept connection turns out to be closed. */
  repeatable?: boolean;
  /** Until the answer is complete; for a stream until its head is there. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  header(name: string): string | undefined;
  body: string;
}

export interface HttpStream extends HttpAnswer {
  /** Ends when the server ends it; `body` is empty then. */
  chunks: AsyncIterable<string>;
}

export type TransportFailure = 'unreachable' | 'timeout' | 'aborted' | 'answer_too_large';

/** No answer came back, so nobody knows whether the request was carried out. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, cause?: unknown) {
    super(`the server gave no answer (${failure})`, { cause });
    this.failure = failure;
  }
}

/** A page of a poll holds about 1 MiB; far more than that is not an honest answer. */
export const MAX_ANSWER_UNITS = 16 * 1024 * 1024;

export function baseUrl(server: string): string {
  if (!/^https?:\/\/[^/]/i.test(server)) {
    throw new TypeError(`the server must be an http or https URL, not ${JSON.stringify(server)}`);
  }
  return server.replace(/\/+$/, '');
}

/** What an aborted or failed request means: the caller's own abort and our own timeout look the same to the platform. */
export function transportFailure(error: unknown, timedOut: boolean, signal?: AbortSignal): TransportError {
  if (error instanceof TransportError) return error;
  if (signal?.aborted) return new TransportError('aborted', error);
  return new TransportError(timedOut ? 'timeout' : 'unreachable', error);
}
