import type { Answer, Call } from '../../testing/http-client.ts';
import { HttpClient } from '../../testing/http-client.ts';

export interface ErrorEnvelope {
  hint?: string;
  code: string;
  message: string;
  status: number;
  details?: { field: string; message: string }[];
}

export interface DeliveryErrorAnswer {
  error: ErrorEnvelope;
  detail: { error: ErrorEnvelope };
}

export interface RoomsErrorAnswer {
  error: string;
  status: number;
  recoverable: boolean;
  hint: string;
}

/** Calls the identity API as its clients do. */
export class People {
  readonly client: HttpClient;
  #count = 0;

  constructor(server: { url: string }) {
    this.client = new HttpClient(server);
  }

  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { key, headers, ...call }: Call & { key?: string } = {},
  ): Promise<Answer<Body>> {
    const bearer: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return this.client.call<Body>(method, path, { ...call, headers: { ...bearer, ...headers } });
  }

  async owner(
    email = `owner${++this.#count}@example.com`,
  ): Promise<{ id: string; slug: string; key: string }> {
    const { status, text, body } = await this.call<{ id: string; slug: string; api_key: string }>(
      'POST',
      '/v1/auth/register',
      { body: { email } },
    );
    if (status !== 201) throw new Error(`not registered: ${text}`);
    return { id: body.id, slug: body.slug, key: body.api_key };
  }

  async agent(name = `agent ${++this.#count}`): Promise<{ id: string; suffix: string; key: string }> {
    const { status, text, body } = await this.call<{ agent_id: string; api_key: string }>(
      'POST',
      '/v1/agent/register',
      { body: { name } },
    );
    if (status !== 201) throw new Error(`not registered: ${text}`);
    return { id: body.agent_id, suffix: body.agent_id.slice(4), key: body.api_key };
  }

  /** The key of a new agent of an owner, by its slug. */
  async peer(ownerKey: string, slug: string, rules: object = {}): Promise<string> {
    await this.call('POST', '/v1/agents', { key: ownerKey, body: { slug, display_name: slug } });
    const { status, text, body } = await this.call<{ api_key: string }>('POST', '/v1/keys', {
      key: ownerKey,
      body: { agent: slug, ...rules },
    });
    if (status !== 201) throw new Error(`no key: ${text}`);
    return body.api_key;
  }

  async login(apiKey: string): Promise<string> {
    const { status, text, body } = await this.call<{ session_token: string }>('POST', '/v1/agent/login', {
      body: { api_key: apiKey },
    });
    if (status !== 200) throw new Error(`not logged in: ${text}`);
    return body.session_token;
  }

  whoami(key: string): Promise<Answer<WhoAmI>> {
    return this.call<WhoAmI>('GET', '/v1/whoami', { key });
  }
}

export interface WhoAmI {
  owner: { id: string; slug: string };
  agent: { id: string; slug: string; address: string; display_name: string } | null;
  peer_id: string;
  credential: { kind: string; id: string; prefix: string; expires_at: string | null };
  scopes: string[];
  read_namespaces: string[];
  write_namespaces: string[];
}

/** How often each status came. */
export function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
