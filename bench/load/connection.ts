import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * One keep-alive HTTP connection over a bare socket, one request at a time. A full client would cost more than
 * the server it measures.
 */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #settle: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('connection closed')));
  }

  static open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  request(raw: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(raw, 'latin1');
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(chunk: string): void {
    this.#received = this.#received === '' ? chunk : this.#received + chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const head = this.#received.slice(0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < headEnd + 4 + length) return;
    const body = this.#received.slice(headEnd + 4, headEnd + 4 + length);
    this.#received = '';
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.resolve({ status: Number(head.slice(9, 12)), body });
  }

  #fail(error: Error): void {
    this.#settle?.reject(error);
    this.#settle = undefined;
  }
}

/** The bytes of a request. Texts are ASCII here, so characters are bytes. */
export function rawRequest(method: string, path: string, body?: object, bearer?: string): string {
  const authorization = bearer === undefined ? '' : `Authorization: Bearer ${bearer}\r\n`;
  const json = body === undefined ? '' : JSON.stringify(body);
  const content =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${json.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${content}\r\n${json}`;
}
