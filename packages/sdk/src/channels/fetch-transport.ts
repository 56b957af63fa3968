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

type Fetch = typeof globalThis.fetch;
type FetchResponse = Awaited<ReturnType<Fetch>>;

/** The transport of browsers and of everything else that has `fetch`. */
export class FetchTransport implements Transport {
  readonly #base: string;
  readonly #fetch: Fetch;

  constructor(server: string, fetch?: Fetch) {
    this.#base = baseUrl(server);
    // Browsers refuse a `fetch` that is called on another object than the window.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    const attempt = new Attempt(request);
    try {
      const response = await this.#send(request, attempt.signal);
      return answer(response, await limitedText(response));
    } catch (error) {
      throw attempt.failure(error);
    } finally {
      attempt.end();
    }
  }

  async stream(request: HttpRequest): Promise<HttpStream> {
    const attempt = new Attempt(request);
    try {
      const response = await this.#send(request, attempt.signal);
      attempt.headArrived();
      if (response.status === 200) return { ...answer(response, ''), chunks: chunks(response, attempt) };
      const refused = answer(response, await limitedText(response));
      attempt.end();
      return { ...refused, chunks: nothing() };
    } catch (error) {
      attempt.end();
      throw attempt.failure(error);
    }
  }

  #send(request: HttpRequest, signal: AbortSignal): Promise<FetchResponse> {
    const headers = { ...request.headers };
    if (request.body !== undefined) headers['content-type'] = 'application/json';
    return this.#fetch(this.#base + request.path, {
      method: request.method,
      cache: 'no-store',
      signal,
      headers,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
  }
}

/** One abort signal out of the request's own and its time limit. */
class Attempt {
  readonly #abort = new AbortController();
  readonly #request: HttpRequest;
  readonly #timer: ReturnType<typeof setTimeout>;
  #timedOut = false;

  constructor(request: HttpRequest) {
    this.#request = request;
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.#abort.abort();
    }, request.timeoutMs);
    if (request.signal?.aborted) this.#abort.abort();
    request.signal?.addEventListener('abort', this.#forward);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  headArrived(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#forward);
  }

  failure(error: unknown): TransportError {
    return transportFailure(error, this.#timedOut, this.#request.signal);
  }

  readonly #forward = (): void => this.#abort.abort();
}

function answer(response: FetchResponse, body: string): HttpAnswer {
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, body };
}

async function limitedText(response: FetchResponse): Promise<string> {
  const body = await response.text();
  if (body.length > MAX_ANSWER_UNITS) throw new TransportError('answer_too_large');
  return body;
}

async function* chunks(response: FetchResponse, attempt: Attempt): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) return;
      yield decoder.decode(part.value, { stream: true });
    }
  } catch (error) {
    throw attempt.failure(error);
  } finally {
    attempt.end();
    await reader?.cancel().catch(() => undefined);
  }
}

async function* nothing(): AsyncGenerator<string> {}
