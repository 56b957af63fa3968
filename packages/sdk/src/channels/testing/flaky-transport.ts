import type { Clock } from '../clock.ts';
import { NodeTransport } from '../node-transport.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type HttpStream,
  type Transport,
  TransportError,
} from '../transport.ts';

/** A network that fails as told before it works again. */
export class FlakyTransport implements Transport {
  readonly #real: Transport;
  /** One is used up by each poll. */
  readonly faults: (() => HttpAnswer)[] = [];
  /** Sends are answered only after this. */
  holdSends: Promise<void> | undefined;
  /** When polls were made. */
  readonly polls: number[] = [];
  readonly #clock: Clock;

  constructor(url: string, clock: Clock) {
    this.#real = new NodeTransport(url);
    this.#clock = clock;
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    if (request.path.endsWith('/send')) await this.holdSends;
    if (!request.path.includes('/poll')) return this.#real.request(request);
    this.polls.push(this.#clock.now());
    const fault = this.faults.shift();
    return fault ? fault() : this.#real.request(request);
  }

  stream(request: HttpRequest): Promise<HttpStream> {
    return this.#real.stream(request);
  }
}

export const unreachable = (): never => {
  throw new TransportError('unreachable');
};
export const answer =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (): HttpAnswer => ({ status, body, header: (name) => headers[name] });
