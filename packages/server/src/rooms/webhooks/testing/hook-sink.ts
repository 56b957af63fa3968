import type { WebhookBody } from '@parley/protocol/rooms/types';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../streams/testing/sse-reader.ts';

export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: WebhookBody;
}

/** What the sink answers: a status, or nothing at all. */
export type SinkAnswer = number | 'hang up' | { status: number; headers: Record<string, string> };

/** A receiver of webhooks on this machine that keeps everything it got. */
export class HookSink {
  readonly received: ReceivedHook[] = [];
  /** Decides by what came and how often something came before. */
  answer: (hook: ReceivedHook, before: number) => SinkAnswer | Promise<SinkAnswer> = () => 204;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<HookSink> {
    const server = createServer();
    const sink = new HookSink(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void sink.#take(request, response, Buffer.concat(chunks).toString()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  async #take(
    { url = '', headers, socket }: IncomingMessage,
    response: ServerResponse,
    text: string,
  ): Promise<void> {
    const hook = { path: url, headers, text, body: JSON.parse(text) as WebhookBody };
    const before = this.received.push(hook) - 1;
    const answer = await this.answer(hook, before);
    if (answer === 'hang up') socket.destroy();
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else response.writeHead(answer.status, answer.headers).end();
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  url(path = '/hook'): string {
    return `http://${this.host}${path}`;
  }

  types(path = '/hook'): string[] {
    return this.received.filter((hook) => hook.path === path).map(({ body }) => body.type);
  }

  async count(count: number): Promise<ReceivedHook[]> {
    await eventually(() => this.received.length >= count);
    return this.received;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
