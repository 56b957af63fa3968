import {
  baseUrl,
  type HttpAnswer,
  type HttpRequest,
  type HttpStream,
  MAX_ANSWER_UNITS,
  type Transport,
  TransportError,
  transportFailure,
} from './transport.ts';

/** The transport of browsers and of everything else that has `fetch`. */
export class FetchTransport implements Transport {
  readonly #base: string;
  readonly #fetch: typeof globalThis.fetch;

  constructor(server: string, fetch: typeof globalThis.fetch = globalThis.fetch) {
    this.#base = baseUrl(server);
    this.#fetch = (input, init) => fetch(input, init);
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    return this.#attempt(request, async (response) => ({ ...head(response), body: await response.text() }));
  }

  async stream(request: HttpRequest): Promise<HttpStream> {
    return this.#attempt(request, async (response) => {
      const { body } = response;
      if (response.status !== 200 || !body) {
        return { ...head(response), body: await response.text(), chunks: nothing() };
      }
      return { ...head(response), body: '', chunks: decoded(body, request.signal) };
    });
  }

  async #attempt<T>(request: HttpRequest, read: (response: Response) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const forward = (): void => abort.abort();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      abort.abort();
    }, request.timeoutMs);
    if (request.signal?.aborted) forward();
    request.signal?.addEventListener('abort', forward);
    try {
      const response = await this.#fetch(this.#base + request.path, {
        method: request.method,
        cache: 'no-store',
        signal: abort.signal,
        headers: { ...(request.body === undefined ? {} : JSON_BODY), ...request.headers },
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      return await read(response);
    } catch (error) {
      throw transportFailure(error, timedOut, request.signal);
    } finally {
      clearTimeout(timer);
      // A stream lives on after its head; only then is the caller's signal still needed.
      if (!STREAMING.has(read)) request.signal?.removeEventListener('abort', forward);
    }
  }
}
