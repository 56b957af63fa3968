import { type Answer, type Call, HttpClient } from '../../testing/http-client.ts';
import { operatorCode } from '../../identity/sign-ins/operator-code.ts';
import type { TestServer } from '../../testing/start-server.ts';

/** Calls as the page of the console does: with its cookie, its header and its origin. */
export class PersonClient {
  readonly client: HttpClient;
  readonly cookie: string;
  readonly #owner: string | undefined;
  readonly #agent: string | undefined;

  constructor(client: HttpClient, cookie: string, owner?: string, agent?: string) {
    this.client = client;
    this.cookie = cookie;
    this.#owner = owner;
    this.#agent = agent;
  }

  static async signIn(server: { url: string }, proof: object): Promise<PersonClient> {
    const client = new HttpClient(server);
    const answer = await client.call('POST', '/v1/console/session', {
      body: proof,
      headers: pageHeaders(server.url),
    });
    if (answer.status !== 201) throw new Error(`not signed in: ${answer.text}`);
    return new PersonClient(client, cookieIn(answer));
  }

  static operator(server: TestServer): Promise<PersonClient> {
    const { secrets, clock } = server.context;
    return PersonClient.signIn(server, { code: operatorCode(secrets, clock.now()) });
  }

  /** The same person for an owner. */
  for(owner: string): PersonClient {
    return new PersonClient(this.client, this.cookie, owner);
  }

  /** The same person as an agent of its own, or of the owner that was named. */
  as(agent: string): PersonClient {
    return new PersonClient(this.client, this.cookie, this.#owner, agent);
  }

  call<Body = Record<string, unknown>>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
    return this.client.call<Body>(method, path, {
      ...call,
      headers: {
        cookie: this.cookie,
        ...pageHeaders(this.client.url),
        ...(this.#owner !== undefined && { 'x-parley-owner': this.#owner }),
        ...(this.#agent !== undefined && { 'x-parley-agent': this.#agent }),
        ...call.headers,
      },
    });
  }

  async read<Body = Record<string, unknown>>(
    path: string,
    query: Record<string, string | number> = {},
  ): Promise<Body> {
    const answer = await this.call<Body>('GET', path, { query });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
}

export const pageHeaders = (url: string): Record<string, string> => ({
  'x-parley-console': '1',
  origin: url,
  'content-type': 'application/json',
});

export function cookieIn({ headers }: Pick<Answer, 'headers'>): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}
