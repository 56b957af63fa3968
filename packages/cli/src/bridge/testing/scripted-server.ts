import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly token: string;
}

type Scripted = { status: number; body?: object; headers?: Record<string, string> };

/** A server that says what the test wants: for what a sound one never does. */
export class ScriptedServer {
  readonly asked: Asked[] = [];
  readonly streams: ServerResponse[] = [];
  /** By `METHOD /path`, with `*` for an id; what is not named is answered with 404. */
  readonly answers = new Map<string, (asked: Asked) => Scripted | 'drop' | 'hang'>([
    ['POST /v1/agent/login', () => ({ status: 200, body: { session_token: 'as_scripted' } })],
    ['POST /v1/agent/stream/ack', () => ({ status: 200, body: { status: 'acked' } })],
    ['POST /v1/rooms/*/typing', () => ({ status: 200, body: {} })],
  ]);
  /** The first words of every stream. */
  greeting =
    'event: stream.hello\ndata: {"type":"stream.hello","agent_id":"agt_scripted","resume_status":"fresh"}\n\n';
  readonly #server: Server = createServer();

  async listen(): Promise<this> {
    this.#server.on('request', (request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  count(what: string): number {
    return this.asked.filter(({ method, path }) => `${method} ${path}` === what).length;
  }

  /** To every open stream. */
  say(words: string): void {
    for (const stream of this.streams) stream.write(words);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', this.url);
    const { method = '' } = request;
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const asked = { method, path, query, token, body: await text(request) };
    this.asked.push(asked);
    const general = path.replace(/^(\/v1\/rooms\/)[^/]+/, '$1*');
    const script = this.answers.get(`${method} ${general}`);
    if (!script && general === '/v1/agent/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(this.greeting);
      this.streams.push(response);
      return;
    }
    const answer = script?.(asked) ?? { status: 404, body: { error: 'not_found' } };
    if (answer === 'drop') response.destroy();
    else if (answer !== 'hang') {
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(JSON.stringify(answer.body ?? {}));
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A frame as the protocol writes it. */
export function turnReady(delivery: string, room: string, turn: number, more: object = {}): string {
  const data = {
    type: 'room.turn_ready',
    delivery_id: delivery,
    room_id: room,
    next_turn: turn,
    next_actor_id: 'agt_scripted',
    room_state: 'ACTIVE',
    reason: 'peer_message',
    occurred_at: '2026-06-01T09:00:00.000Z',
    ...more,
  };
  return `id: ${delivery}\nevent: room.turn_ready\ndata: ${JSON.stringify(data)}\n\n`;
}
