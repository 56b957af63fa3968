import { get, type IncomingMessage } from 'node:http';
import { type Answer, Connection, rawRequest } from './connection.ts';

export interface MailOwner {
  readonly key: string;
  readonly slug: string;
}

let owners = 0;

export async function registerOwner(connection: Connection): Promise<MailOwner> {
  const email = `bench${++owners}@example.com`;
  const { api_key: key, slug } = await json<{ api_key: string; slug: string }>(
    connection.request(rawRequest('POST', '/v1/auth/register', { email })),
  );
  return { key, slug };
}

export async function createAgent(connection: Connection, owner: MailOwner, agent: object): Promise<void> {
  await json(connection.request(rawRequest('POST', '/v1/agents', agent, owner.key)));
}

export const sendRequest = (owner: MailOwner, message: object): string =>
  rawRequest('POST', '/v1/messages', message, owner.key);

export async function send(
  connection: Connection,
  owner: MailOwner,
  message: object,
): Promise<{ id: string }> {
  return await json<{ id: string }>(connection.request(sendRequest(owner, message)));
}

export async function json<Body = unknown>(answering: Promise<Answer>): Promise<Body> {
  const { status, body } = await answering;
  if (status < 200 || status > 299) throw new Error(`unexpected answer ${status}: ${body.slice(0, 200)}`);
  return JSON.parse(body) as Body;
}

/** A monitor of a live session that tells when each offer came. */
export class OfferListener {
  readonly #response: IncomingMessage;
  readonly #waiting = new Map<string, (at: number) => void>();
  readonly #came = new Map<string, number>();
  #text = '';

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk, performance.now()));
  }

  static open(url: string, path: string, key: string): Promise<OfferListener> {
    return new Promise((resolve, reject) => {
      const request = get(`${url}${path}`, { headers: { authorization: `Bearer ${key}` }, agent: false });
      request.on('response', (response) => resolve(new OfferListener(response)));
      request.on('error', reject);
    });
  }

  /** When the offer of a message came. */
  came(messageId: string): Promise<number> {
    const at = this.#came.get(messageId);
    if (at !== undefined) return Promise.resolve(at);
    return new Promise((resolve) => this.#waiting.set(messageId, resolve));
  }

  close(): void {
    this.#response.destroy();
  }

  #take(chunk: string, at: number): void {
    this.#text += chunk;
    const end = this.#text.lastIndexOf('\n\n');
    if (end === -1) return;
    for (const [, id] of this.#text.slice(0, end).matchAll(/^event: offer\n.*?"message_id":"(msg_\w+)"/gm)) {
      if (id === undefined) continue;
      this.#came.set(id, at);
      this.#waiting.get(id)?.(at);
    }
    this.#text = this.#text.slice(end + 2);
  }
}
