import { connect, type Socket } from 'node:net';

/** A TCP connection on which a test may say anything, HTTP or not. */
export class RawSocket {
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  readonly #watchers = new Set<() => void>();
  #received = '';

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port) });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1');
      for (const watch of this.#watchers) watch();
    });
    // A reset is one of the ways a server ends a conversation; `closed` follows it.
    this.#socket.on('error', () => undefined);
    this.#closed = new Promise((resolve) => void this.#socket.on('close', () => resolve()));
  }

  get received(): string {
    return this.#received;
  }

  write(data: string | Buffer): this {
    this.#socket.write(data);
    return this;
  }

  /** Resolves with everything received once `pattern` is in it, or once the server has closed. */
  async until(pattern: RegExp): Promise<string> {
    const seen = new Promise<void>((resolve) => {
      const watch = (): void => {
        if (!pattern.test(this.#received)) return;
        this.#watchers.delete(watch);
        resolve();
      };
      this.#watchers.add(watch);
      watch();
    });
    await Promise.race([seen, this.#closed]);
    return this.#received;
  }

  async untilClosed(): Promise<string> {
    await this.#closed;
    return this.#received;
  }

  /** Closes only the sending direction. */
  halfClose(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** The head of a request with the given lines, ready to be followed by a body. */
export function head(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}
