import type { AgentAnswer, LiveSessionAnswer } from '@parley/protocol/delivery/types';
import { type DeliveryErrorAnswer, People } from '../../identity/testing/people.ts';
import type { Answer, Call } from '../../testing/http-client.ts';

export type Reply<Body> = Answer<Body & DeliveryErrorAnswer>;

export interface Owner {
  readonly id: string;
  readonly slug: string;
  readonly key: string;
}

/** Calls the agent routes as an owner does. */
export class AgentClient {
  readonly people: People;
  readonly owner: Owner;

  constructor(people: People, owner: Owner) {
    this.people = people;
    this.owner = owner;
  }

  static async register(server: { url: string }, email?: string): Promise<AgentClient> {
    const people = new People(server);
    return new AgentClient(people, await people.owner(email));
  }

  call<Body = Record<string, unknown>>(method: string, path: string, call: Call = {}): Promise<Reply<Body>> {
    return this.people.call<Body & DeliveryErrorAnswer>(method, path, { key: this.owner.key, ...call });
  }

  tryCreate(body: unknown, headers: Record<string, string> = {}): Promise<Reply<AgentAnswer>> {
    return this.call<AgentAnswer>('POST', '/v1/agents', { body, headers });
  }

  async create(body: unknown): Promise<AgentAnswer> {
    return expectStatus(201, await this.tryCreate(body));
  }

  read(ref: string, query: Record<string, string> = {}): Promise<Reply<AgentAnswer>> {
    return this.call<AgentAnswer>('GET', `/v1/agents/${encodeURIComponent(ref)}`, { query });
  }

  patch(ref: string, body: unknown): Promise<Reply<AgentAnswer>> {
    return this.call<AgentAnswer>('PATCH', `/v1/agents/${encodeURIComponent(ref)}`, { body });
  }

  tryAttach(ref: string, body: unknown): Promise<Reply<LiveSessionAnswer>> {
    return this.call<LiveSessionAnswer>('POST', `/v1/agents/${encodeURIComponent(ref)}/live-sessions`, {
      body,
    });
  }

  async attach(ref: string, body: object = {}): Promise<LiveSessionAnswer> {
    const session = { label: 'main', task_name: `${ref}-main-live`, ...body };
    return expectStatus(201, await this.tryAttach(ref, session));
  }

  session(method: string, ref: string, path: string, body?: unknown): Promise<Reply<LiveSessionAnswer>> {
    return this.call<LiveSessionAnswer>(method, `/v1/agents/${ref}/live-sessions/${path}`, {
      ...(body !== undefined && { body }),
    });
  }
}

export function expectStatus<Body>(status: number, answer: Answer<Body>): Body {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer.body;
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'hooks.example.com': ['203.0.113.9'],
  'inside.example.com': ['10.0.0.1'],
};

/** A resolver that knows one public and one private name. */
export const resolveNames = async (name: string): Promise<string[]> => [...(NAMES[name] ?? [])];
