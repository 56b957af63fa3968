import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { People } from '../../identity/testing/people.ts';
import type { Answer } from '../../testing/http-client.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { StartServer } from '../../testing/each-server.ts';
import type { TestOptions, TestServer } from '../../testing/start-server.ts';
import { baseCapsule, type Change, type SentCapsule, T } from './base-capsule.ts';

export interface Detail {
  detail: string;
}

export interface SchemaDetail {
  detail: { type: string; loc: (string | number)[]; msg: string }[];
}

export interface ReadAnswer {
  ok: true;
  path: string;
  capsule: Capsule;
  source_state: string;
  recovery_warnings: string[];
  trust_signals: { recency: Record<string, unknown>; completeness: unknown; integrity: unknown };
  startup_summary: Record<string, unknown> & { recovery: Record<string, unknown> };
  notices?: string[];
}

export type Row = Record<string, unknown> & { subject_kind: string; subject_id: string };
export interface ListAnswer {
  count: number;
  capsules: Row[];
  unique_match: boolean;
  next_cursor?: string;
}

/** Noon of the first of April: later than every time the tests write. */
export const NOW = Date.UTC(2026, 3, 1, 12);
export const daysAgo = (days: number): string =>
  `${new Date(NOW - days * 86_400_000).toISOString().slice(0, 19)}Z`;

/** One owner's capsules, called as an agent would. Every owner begins with an empty store. */
export class Memory {
  readonly #people: People;
  readonly key: string;
  readonly ownerId: string;

  constructor(people: People, owner: { id: string; key: string }) {
    this.#people = people;
    this.key = owner.key;
    this.ownerId = owner.id;
  }

  call<Body = Record<string, unknown>>(
    operation: string,
    body: unknown,
    headers: Record<string, string> = {},
  ) {
    return this.#people.call<Body>('POST', `/v1/continuity/${operation}`, { key: this.key, body, headers });
  }

  ops(jobId: string, args: unknown): Promise<Answer<Detail & { job_result: Record<string, unknown> }>> {
    return this.#people.call('POST', '/v1/ops/run', {
      key: this.key,
      body: { job_id: jobId, arguments: args },
    });
  }

  /** `capsule` for its own subject. */
  upsert<Body = Record<string, unknown>>(capsule: SentCapsule, more: object = {}): Promise<Answer<Body>> {
    const { subject_kind, subject_id } = capsule;
    return this.call<Body>('upsert', { subject_kind, subject_id, capsule, ...more });
  }

  /** The usual capsule with a change, stored or the test fails. */
  async store(
    kind: SubjectKind,
    id: string,
    change: Change = {},
    at = T(1),
    more: object = {},
  ): Promise<Answer> {
    const answer = await this.upsert(baseCapsule(kind, id, at, change), more);
    if (answer.status !== 200) throw new Error(`not stored: ${answer.text}`);
    return answer;
  }

  read(kind: string, id: string, more: object = {}): Promise<Answer<ReadAnswer>> {
    return this.call<ReadAnswer>('read', { subject_kind: kind, subject_id: id, ...more });
  }

  async capsule(kind: string, id: string): Promise<Capsule> {
    const { status, text, body } = await this.read(kind, id);
    if (status !== 200) throw new Error(`not read: ${text}`);
    return body.capsule;
  }

  list(body: object = {}): Promise<Answer<ListAnswer>> {
    return this.call<ListAnswer>('list', body);
  }
}

export interface MemoryServer {
  readonly server: TestServer;
  readonly clock: FakeClock;
  readonly people: People;
  owner(): Promise<Memory>;
}

/** A server whose clock stands at `NOW`. */
export async function startMemory(start: StartServer, options: TestOptions = {}): Promise<MemoryServer> {
  const clock = new FakeClock(NOW);
  const server = await start({ clock, rateLimits: false, ...options });
  const people = new People(server);
  return { server, clock, people, owner: async () => new Memory(people, await people.owner()) };
}

/** Status and text of a refusal, to compare both at once. */
export const refusal = ({ status, body }: Answer<object>): [number, unknown] => [
  status,
  'detail' in body ? body.detail : body,
];

/** Status and the type of the first breach of the schema. */
export function breach({ status, body }: Answer<object>): [number, string | undefined] {
  const { detail } = body as Partial<SchemaDetail>;
  return [status, Array.isArray(detail) ? detail[0]?.type : undefined];
}
