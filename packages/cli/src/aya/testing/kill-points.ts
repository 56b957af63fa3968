import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Everything a bridge does between a frame and the end of the hook call that others can see. */
export const KILL_POINTS = [
  'the frame comes',
  'it asks for a room token',
  'it was given a room token',
  'it acknowledges',
  'the server took the acknowledgement',
  'it was told that the acknowledgement was taken',
  'it asks whose turn it is',
  'it was told whose turn it is',
  'it shows that the agent types',
  'that was taken',
  'it calls the hook',
  'the hook answers',
  'it shows that the agent is done',
] as const;
const QUIET_MS = 300;

export type KillPoint = (typeof KILL_POINTS)[number];

/** What a call shows of where a bridge is: when it is made, when the server took it, when the bridge was told. */
export interface CallPoints<Point> {
  readonly asked?: Point;
  readonly taken?: Point;
  readonly told?: Point;
}

/** Stands between a bridge and its server and lets everything through, until the bridge comes to the armed point. */
export class KillPoints<Point extends string = KillPoint> {
  readonly #target: URL;
  readonly #pointsOf: (method: string, path: string, body: string) => CallPoints<Point>;
  readonly #framePoint: Point;
  readonly #server: Server = createServer();
  #heardAt = 0;
  #armed: { point: Point; afterMs: number; kill: () => void } | undefined;

  /** `framePoint`: when a turn is told on the stream. */
  constructor(
    target: string,
    framePoint: Point,
    pointsOf: (method: string, path: string, body: string) => CallPoints<Point>,
  ) {
    this.#target = new URL(target);
    this.#framePoint = framePoint;
    this.#pointsOf = pointsOf;
  }

  async listen(): Promise<this> {
    this.#server.on('request', (request, response) => void this.#pass(request, response));
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when it came there and `kill` was called. `afterMs`: that much later, to hit what comes right after. */
  arm(point: Point, afterMs: number, kill: () => void): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        kill();
        resolve();
      };
      this.#armed = { point, afterMs, kill: done };
    });
  }

  async reached(point: Point | undefined): Promise<void> {
    if (point === undefined || this.#armed?.point !== point) return;
    const { afterMs, kill } = this.#armed;
    this.#armed = undefined;
    if (afterMs > 0) await sleep(afterMs);
    kill();
  }

  /** Whether the bridge has been silent for a while: it has done what it does at its start. */
  get isQuiet(): boolean {
    return performance.now() - this.#heardAt > QUIET_MS;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#heardAt = performance.now();
    const body = await buffer(request);
    const points = this.#pointsOf(request.method ?? '', request.url ?? '', body.toString());
    await this.reached(points.asked);
    const { hostname, port } = this.#target;
    const { method, headers, url: path } = request;
    // A connection of its own: one that was kept may have been closed by the server in the same moment.
    const outgoing = httpRequest({ hostname, port, method, headers, path, agent: false });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.on('response', (answer) => void this.#answer(answer, response, points));
    outgoing.end(body);
  }

  async #answer(answer: IncomingMessage, response: ServerResponse, points: CallPoints<Point>): Promise<void> {
    answer.on('error', () => response.destroy());
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    if (answer.headers['content-type']?.startsWith('text/event-stream')) {
      answer.on('data', (chunk: Buffer) => {
        response.write(chunk);
        if (chunk.includes('room.turn_ready')) void this.reached(this.#framePoint);
      });
      answer.on('end', () => response.end());
      return;
    }
    const body = await buffer(answer).catch(() => Buffer.alloc(0));
    await this.reached(points.taken);
    response.end(body);
    await this.reached(points.told);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Of `aya`. */
export function ayaPoints(method: string, path: string, body: string): CallPoints<KillPoint> {
  if (path.endsWith('/access-token'))
    return { asked: 'it asks for a room token', told: 'it was given a room token' };
  if (path.endsWith('/stream/ack')) {
    return {
      asked: 'it acknowledges',
      taken: 'the server took the acknowledgement',
      told: 'it was told that the acknowledgement was taken',
    };
  }
  if (method === 'GET' && path.endsWith('/state')) {
    return { asked: 'it asks whose turn it is', told: 'it was told whose turn it is' };
  }
  if (!path.endsWith('/typing')) return {};
  if (body.includes('stop')) return { asked: 'it shows that the agent is done' };
  return { asked: 'it shows that the agent types', told: 'that was taken' };
}
