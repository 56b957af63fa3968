import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from './tally.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Whether it says when to come back. */
  readonly saysWhen: boolean;
}

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Said by a server that is stopping or cannot reach its store, and by a balancer that has no server. */
const COME_BACK = new Set([429, 502, 503, 504]);
const PAUSE_MS = 25;
const GIVE_UP_MS = 120_000;

/** One client with one connection, which it opens anew as often as it is cut. */
export class Caller {
  readonly #url: () => string;
  readonly #tally: Tally;
  #line: Line | undefined;

  constructor(url: () => string, tally: Tally) {
    this.#url = url;
    this.#tally = tally;
  }

  /** Asked again until there is an answer: what is sent must be safe to repeat. */
  async insist(request: Request): Promise<Answer> {
    const begun = performance.now();
    for (;;) {
      const answer = await this.once(request);
      if (answer && !COME_BACK.has(answer.status)) {
        this.#tally.waited(performance.now() - begun);
        return answer;
      }
      if (performance.now() - begun > GIVE_UP_MS)
        throw new Error(`no answer to ${request.path} for too long`);
      await sleep(PAUSE_MS);
    }
  }

  /** Undefined when nobody knows whether it was done. */
  async once(request: Request): Promise<Answer | undefined> {
    try {
      this.#line = this.#line?.isOpen ? this.#line : await Line.open(this.#url());
    } catch {
      this.#tally.failed(`the connection for ${request.path} was refused`);
      return undefined;
    }
    let answer: Answer;
    try {
      answer = await this.#line.request(rawRequest(request));
    } catch {
      this.#tally.unsure++;
      this.#tally.failed(`${request.path} was cut`);
      this.close();
      return undefined;
    }
    if (COME_BACK.has(answer.status)) this.#tally.failed(`${request.path} was answered ${answer.status}`);
    if (answer.status === 503 && !answer.saysWhen) {
      this.#tally.wrong.push(
        `${request.path} was answered 503 without Retry-After: ${answer.body.slice(0, 160)}`,
      );
    }
    return answer;
  }

  /** For what is not safe to repeat; undefined when it may have been done or not, or was refused with a code that is expected. */
  async attempt<Body>(request: Request, expected?: string): Promise<Body | undefined> {
    const answer = await this.once(request);
    if (answer && expected !== undefined && answer.status === 400 && answer.body.includes(`"${expected}"`))
      return undefined;
    if (answer && !COME_BACK.has(answer.status)) return this.#success(request, answer) as Body;
    await sleep(PAUSE_MS);
    return undefined;
  }

  /** The answer as an object; anything but success is told as wrong and thrown. */
  async must<Body>(request: Request): Promise<Body> {
    return this.#success(request, await this.insist(request)) as Body;
  }

  #success(request: Request, { status, body }: Answer): unknown {
    if (status < 200 || status > 299) {
      const told = `${request.method} ${request.path} was answered ${status}: ${body.slice(0, 160)}`;
      this.#tally.wrong.push(told);
      throw new Error(told);
    }
    return JSON.parse(body);
  }

  close(): void {
    this.#line?.close();
    this.#line = undefined;
  }
}

function rawRequest({ method, path, body, key, headers = {} }: Request): string {
  const json = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(method === 'POST' ? ['Content-Type: application/json', `Content-Length: ${json.length}`] : []),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${json}`;
}

/** A keep-alive connection over a bare socket, one request at a time. Texts are ASCII here. */
class Line {
  readonly #socket: Socket;
  #received = '';
  #settle: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
  isOpen = true;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#take(chunk));
    socket.on('error', () => this.#end());
    socket.on('end', () => this.#end());
    socket.on('close', () => this.#end());
  }

  static open(url: string): Promise<Line> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new Line(socket)));
      socket.once('error', reject);
    });
  }

  request(raw: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(new Error('the connection is closed'));
      this.#settle = { resolve, reject };
      this.#socket.write(raw, 'latin1');
    });
  }

  close(): void {
    this.#socket.destroy();
    this.#end();
  }

  #take(chunk: string): void {
    this.#received += chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const head = this.#received.slice(0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < headEnd + 4 + length) return;
    const body = this.#received.slice(headEnd + 4, headEnd + 4 + length);
    this.#received = '';
    const settle = this.#settle;
    this.#settle = undefined;
    if (/^connection: close/im.test(head)) this.close();
    const saysWhen = /^retry-after: \d+\r?$/im.test(head);
    settle?.resolve({ status: Number(head.slice(9, 12)), body, saysWhen });
  }

  #end(): void {
    this.isOpen = false;
    this.#settle?.reject(new Error('the connection was cut'));
    this.#settle = undefined;
  }
}
