import type { HttpAnswer, HttpRequest, HttpStream, Transport } from '@parley/sdk/channels/transport';

/** A way to the server that can be cut: what is under way ends with a failure at once, and so does what is asked for later. */
export class CutTransport implements Transport {
  readonly #transport: Transport;
  readonly #end = new AbortController();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  cut(): void {
    this.#end.abort();
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    return await this.#transport.request(this.#bound(request));
  }

  async stream(request: HttpRequest): Promise<HttpStream> {
    return await this.#transport.stream(this.#bound(request));
  }

  #bound(request: HttpRequest): HttpRequest {
    const { signal: end } = this.#end;
    return { ...request, signal: request.signal ? AbortSignal.any([end, request.signal]) : end };
  }
}
