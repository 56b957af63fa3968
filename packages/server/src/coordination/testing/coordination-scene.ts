import type { Handoff, Peer, Reconciliation, SharedState } from '@parley/protocol/coordination/artifacts';
import { baseCapsule, T } from '../../continuity/testing/base-capsule.ts';
import { startMemory } from '../../continuity/testing/memory.ts';
import type { People } from '../../identity/testing/people.ts';
import type { StartServer } from '../../testing/each-server.ts';
import type { Answer } from '../../testing/http-client.ts';
import type { TestOptions } from '../../testing/start-server.ts';

/** Everything an answer of the module may hold. */
export interface CoordinationAnswer {
  ok: boolean;
  handoff: Handoff;
  shared: SharedState;
  reconciliation: Reconciliation;
  path: string;
  created: boolean;
  updated: boolean;
  latest_commit: string | null;
  count: number;
  total_matches: number;
  warnings: string[];
  handoffs: Handoff[];
  shared_artifacts: SharedState[];
  reconciliations: Reconciliation[];
  peers: Peer[];
  peer: Peer;
  committed: boolean;
  updated_at: string | null;
  detail: string | { type: string; loc: string[] }[];
  code?: string;
}

export type Got = Answer<CoordinationAnswer>;

export class CoordinationPeer {
  readonly #people: People;
  readonly key: string;

  constructor(people: People, key: string) {
    this.#people = people;
    this.key = key;
  }

  call(method: string, path: string, body?: unknown): Promise<Got> {
    const call = { key: this.key, ...(body !== undefined && { body }) };
    return this.#people.call<CoordinationAnswer>(method, `/v1${path}`, call);
  }

  handOver(recipient: string, more: object = {}): Promise<Got> {
    return this.call('POST', '/coordination/handoff/create', {
      recipient_peer: recipient,
      subject_kind: 'thread',
      subject_id: 'th1',
      ...more,
    });
  }

  /** Made or the test fails. */
  async handed(recipient: string, more: object = {}): Promise<Handoff> {
    return must(await this.handOver(recipient, more)).handoff;
  }

  handoff(id: string): Promise<Got> {
    return this.call('GET', `/coordination/handoff/${id}`);
  }

  handoffs(query: string): Promise<Got> {
    return this.call('GET', `/coordination/handoffs/query${query}`);
  }

  consume(id: string, body: object): Promise<Got> {
    return this.call('POST', `/coordination/handoff/${id}/consume`, body);
  }

  share(more: object = {}): Promise<Got> {
    const body = { title: 'board', constraints: ['c'], ...more };
    return this.call('POST', '/coordination/shared/create', body);
  }

  async shared(more: object = {}): Promise<SharedState> {
    return must(await this.share(more)).shared;
  }

  readShared(id: string): Promise<Got> {
    return this.call('GET', `/coordination/shared/${id}`);
  }

  queryShared(query: string): Promise<Got> {
    return this.call('GET', `/coordination/shared/query${query}`);
  }

  updateShared(id: string, expected: number, more: object = {}): Promise<Got> {
    const body = { expected_version: expected, title: 'board', constraints: ['c'], ...more };
    return this.call('POST', `/coordination/shared/${id}/update`, body);
  }

  open(body: object): Promise<Got> {
    return this.call('POST', '/coordination/reconciliation/open', body);
  }

  reconciliation(id: string): Promise<Got> {
    return this.call('GET', `/coordination/reconciliation/${id}`);
  }

  reconciliations(query: string): Promise<Got> {
    return this.call('GET', `/coordination/reconciliations/query${query}`);
  }

  resolve(id: string, body: object): Promise<Got> {
    return this.call('POST', `/coordination/reconciliation/${id}/resolve`, body);
  }

  register(peerId: string, more: object = {}): Promise<Got> {
    return this.call('POST', '/peers/register', {
      peer_id: peerId,
      base_url: `http://${peerId}.example`,
      ...more,
    });
  }
}

export function must({ status, text, body }: Got): CoordinationAnswer {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return body;
}

export const ZEROS = '0'.repeat(32);
export const statuses = async (...calls: Promise<Got>[]): Promise<number[]> =>
  (await Promise.all(calls)).map(({ status }) => status);
/** Status and text of a refusal. */
export const told = ({ status, body }: Got): [number, unknown] => [status, body.detail];

/** An owner with three peers, one nobody trusts, and an administrator; a has a capsule of the thread th1. */
export async function coordinationScene(start: StartServer, options: TestOptions = {}) {
  const memory = await startMemory(start, options);
  const { people } = memory;
  const tenant = async () => {
    const owner = await people.owner();
    const peer = async (slug: string, rules: object = {}): Promise<CoordinationPeer> =>
      new CoordinationPeer(people, await people.peer(owner.key, slug, rules));
    const [a, b, c] = [await peer('a'), await peer('b'), await peer('c')];
    const admin = await peer('boss', { scopes: ['read:files', 'write:projects', 'admin:peers'] });
    const registered = ['a', 'b', 'c'].map((id) => admin.register(id));
    for (const answer of await Promise.all(registered)) must(answer);
    must(await admin.register('u', { trust_level: 'untrusted' }));
    const remember = async (id: string, continuity: object, by = a): Promise<void> => {
      const capsule = baseCapsule('thread', id, T(1), { continuity });
      must(await by.call('POST', '/continuity/upsert', { subject_kind: 'thread', subject_id: id, capsule }));
    };
    await remember('th1', { active_constraints: ['k1'], drift_signals: ['d1'] });
    return { owner, peer, a, b, c, admin, remember };
  };
  return { ...memory, tenant, ...(await tenant()) };
}

export type CoordinationScene = Awaited<ReturnType<typeof coordinationScene>>;
