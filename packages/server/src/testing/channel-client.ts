import type {
  CreateAnswer,
  JoinAnswer,
  LeaveAnswer,
  PollAnswer,
  SendAnswer,
} from '@parley/protocol/channels/types';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { expect, vi } from 'vitest';

export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON of the answer; an empty object when it is not JSON. */
  readonly body: Body;
}

export interface Call {
  /** Text and bytes go out as they are, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string | number>;
  signal?: AbortSignal;
  /** The local address to call from: every 127.x.y.z is a client of its own. */
  from?: string;
}

/** A plain HTTP client that hides nothing: any method, header or body can be sent, every answer is returned. */
export class ChannelClient {
  readonly #server: { readonly url: string };
  readonly #agent = new Agent({ keepAlive: true });

  constructor(server: { readonly url: string }) {
    this.#server = server;
  }

  get url(): string {
    return this.#server.url;
  }

  call<Body = Record<string, unknown>>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
    const query = new URLSearchParams(Object.entries(call.query ?? {}).map(([k, v]) => [k, String(v)]));
    const target = new URL(this.url);
    const options = {
      method,
      host: target.hostname,
      port: target.port,
      path: call.query ? `${path}?${query}` : path,
      headers: call.headers,
      ...(call.signal && { signal: call.signal }),
      ...(call.from ? { agent: false, localAddress: call.from } : { agent: this.#agent }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== '';
          const body = (isJson ? JSON.parse(text) : {}) as Body;
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(outgoingBody(call.body));
    });
  }

  post<Body = Record<string, unknown>>(path: string, body: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.call<Body>('POST', path, { ...call, body });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('GET', path, { headers });
  }

  async create(call: Call = {}): Promise<Channel> {
    const { body } = await this.call<CreateAnswer>('POST', '/channels', call);
    return new Channel(this, body.channel_id, body.token);
  }

  /** A channel with two participants. */
  async pair(): Promise<{ channel: Channel; a: Peer; b: Peer }> {
    const channel = await this.create();
    return { channel, a: await channel.join('a'), b: await channel.join('b') };
  }

  /** The value of one metric, for example `agentalk_evictions_total{reason="idle"}`. */
  async metric(name: string): Promise<number> {
    const { text } = await this.get('/metrics');
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
  }

  /** Waits until exactly this many polls are parked. */
  async parked(count: number): Promise<void> {
    // Not expect.poll, which tests that run side by side cannot use.
    const check = async (): Promise<void> => expect(await this.metric('agentalk_polls_parked')).toBe(count);
    await vi.waitFor(check, { timeout: 15_000, interval: 2 });
  }
}

export class Channel {
  readonly client: ChannelClient;
  readonly id: string;
  readonly token: string;

  constructor(client: ChannelClient, id: string, token: string) {
    this.client = client;
    this.id = id;
    this.token = token;
  }

  get path(): string {
    return `/channels/${this.id}`;
  }

  tryJoin(name: unknown, more: object = {}, call: Call = {}): Promise<Answer<JoinAnswer>> {
    return this.client.post<JoinAnswer>(`${this.path}/join`, { token: this.token, name, ...more }, call);
  }

  async join(name: string, more: object = {}): Promise<Peer> {
    const answer = await this.tryJoin(name, more);
    if (answer.status !== 200) throw new Error(`join as ${name}: ${answer.status} ${answer.text}`);
    return new Peer(this, name, answer.body.participant_id, answer.body.cursor ?? 0);
  }
}

export class Peer {
  readonly channel: Channel;
  readonly name: string;
  readonly id: string;
  readonly cursor: number;

  constructor(channel: Channel, name: string, id: string, cursor: number) {
    this.channel = channel;
    this.name = name;
    this.id = id;
    this.cursor = cursor;
  }

  get #secrets() {
    return { token: this.channel.token, participant_id: this.id };
  }

  send(text: unknown, more: object = {}, call: Call = {}): Promise<Answer<SendAnswer>> {
    const body = { ...this.#secrets, text, ...more };
    return this.channel.client.post<SendAnswer>(`${this.channel.path}/send`, body, call);
  }

  poll(query: Call['query'] = {}, call: Call = {}): Promise<Answer<PollAnswer>> {
    return this.channel.client.call<PollAnswer>('GET', `${this.channel.path}/poll`, {
      ...call,
      query: { ...this.#secrets, ...query },
    });
  }

  leave(call: Call = {}): Promise<Answer<LeaveAnswer>> {
    return this.channel.client.post<LeaveAnswer>(`${this.channel.path}/leave`, this.#secrets, call);
  }
}

function outgoingBody(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}
