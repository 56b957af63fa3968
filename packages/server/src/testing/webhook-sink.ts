import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

export interface Received<Body> {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Body;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

/** What the sink answers: a status, all of an answer, or nothing at all. */
export type SinkAnswer =
  | number
  | 'hang up'
  | 'never'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text?: string };

/** A receiver of webhooks on this machine that keeps everything it got. */
export class WebhookSink<Body = Record<string, unknown>> {
  readonly received: Received<Body>[] = [];
  /** Decides by what came and how often something came before. */
  answer: (hook: Received<Body>, before: number) => SinkAnswer | Promise<SinkAnswer> = () => 204;
  readonly #server: Server = createServer();

  async listen(): Promise<this> {
    this.#server.on('request', (request, response) => {
      const at = performance.now();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void this.#take(request, response, Buffer.concat(chunks).toString(), at));
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', 4096, resolve));
    return this;
  }

  async #take(
    { url = '', method = '', headers, socket }: IncomingMessage,
    response: ServerResponse,
    text: string,
    at: number,
  ): Promise<void> {
    const hook = { path: url, method, headers, text, body: JSON.parse(text || '{}') as Body, at };
    const before = this.received.push(hook) - 1;
    const answer = await this.answer(hook, before);
    if (answer === 'never') return;
    if (answer === 'hang up') socket.destroy();
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else response.writeHead(answer.status, answer.headers).end(answer.text);
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/hook'): string {
    return `http://${this.host}${path}`;
  }

  async count(count: number): Promise<readonly Received<Body>[]> {
    await expect.poll(() => this.received.length).toBeGreaterThanOrEqual(count);
    return this.received;
  }

  /** The first, the second, … that came. */
  async nth(place: number): Promise<Received<Body>> {
    const hook = (await this.count(place))[place - 1];
    if (!hook) throw new RangeError('places count from 1');
    return hook;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
