import { Agent, type IncomingHttpHeaders, request } from 'node:http';

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

interface ServerAddress {
  readonly url: string;
  /** Those that answer there, where it is several. */
  readonly nodes?: readonly { readonly url: string }[];
}

/** What every node tells of all of them. */
const OF_ALL_NODES =
  /^agentalk_(?:channels|channels_hibernating|participants|tracked_ips|retained_bytes|uptime_seconds)$/;

/** A plain HTTP client that hides nothing: any method, header or body can be sent, every answer is returned. */
export class HttpClient {
  readonly #server: ServerAddress;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(server: ServerAddress) {
    this.#server = server;
  }

  get url(): string {
    return this.#server.url;
  }

  call<Body = Record<string, unknown>>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
    return this.#callAt(this.url, method, path, call);
  }

  #callAt<Body>(url: string, method: string, path: string, call: Call): Promise<Answer<Body>> {
    const query = new URLSearchParams(Object.entries(call.query ?? {}).map(([k, v]) => [k, String(v)]));
    const target = new URL(url);
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

  /** The value of one metric over all nodes, for example `agentalk_evictions_total{reason="idle"}`. */
  async metric(name: string): Promise<number> {
    const { nodes = [this.#server] } = this.#server;
    const values = await Promise.all(nodes.map(({ url }) => this.#metricAt(url, name)));
    const known = values.filter((value) => !Number.isNaN(value));
    if (known.length === 0) return Number.NaN;
    return OF_ALL_NODES.test(name) ? Math.max(...known) : known.reduce((sum, value) => sum + value);
  }

  async #metricAt(url: string, name: string): Promise<number> {
    const { text } = await this.#callAt(url, 'GET', '/metrics', {});
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
  }
}

function outgoingBody(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}
