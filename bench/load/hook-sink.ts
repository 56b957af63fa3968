import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives webhooks on this machine; those to `/hang` are never answered. */
export class TimedHookSink {
  /** When the first byte of each message came, by message id. */
  readonly came = new Map<string, number>();
  readonly #server: Server;
  hanging = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      const id = String(request.headers['x-cueapi-message-id']);
      if (request.url === '/hang') {
        this.hanging += 1;
        request.resume();
        return;
      }
      this.came.set(id, performance.now());
      request.resume();
      request.on('end', () => response.writeHead(204).end());
    });
  }

  static async open(): Promise<TimedHookSink> {
    const server = createServer({ requestTimeout: 0 });
    const sink = new TimedHookSink(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
    return sink;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
