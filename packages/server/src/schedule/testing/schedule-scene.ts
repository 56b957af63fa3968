import type { ScheduleItem } from '@parley/protocol/schedule/item';
import { NOW, startMemory } from '../../continuity/testing/memory.ts';
import type { People } from '../../identity/testing/people.ts';
import type { StartServer } from '../../testing/each-server.ts';
import type { Answer } from '../../testing/http-client.ts';
import type { TestOptions } from '../../testing/start-server.ts';

export interface ItemAnswer {
  ok: boolean;
  created: boolean;
  updated: boolean;
  item: ScheduleItem;
  warnings: string[];
  detail: { code: string; field: string; message: string; warnings?: string[] };
}

export interface ListAnswer {
  ok: boolean;
  count: number;
  total: number;
  limit: number;
  offset: number;
  items: ScheduleItem[];
  warnings: string[];
  detail: { code: string; field: string };
}

/** Whole seconds from the start of the scene. */
export const inSeconds = (seconds: number): string =>
  `${new Date(NOW + seconds * 1000).toISOString().slice(0, 19)}Z`;

export const SOON = inSeconds(3600);

export const reminder = (more: object = {}): object => ({
  kind: 'reminder',
  title: 'hello',
  due_at: SOON,
  ...more,
});

/** A peer with a key of its own. */
export class SchedulePeer {
  readonly #people: People;
  readonly key: string | undefined;

  constructor(people: People, key: string | undefined) {
    this.#people = people;
    this.key = key;
  }

  call<Body = ItemAnswer>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    return this.#people.call<Body>(method, `/v1/schedule/items${path}`, {
      ...(this.key !== undefined && { key: this.key }),
      ...(body !== undefined && { body }),
    });
  }

  create(body: unknown): Promise<Answer<ItemAnswer>> {
    return this.call('POST', '', body);
  }

  /** Created or the test fails. */
  async made(more: object = {}): Promise<ScheduleItem> {
    const { status, text, body } = await this.create(reminder(more));
    if (status !== 201) throw new Error(`not created: ${text}`);
    return body.item;
  }

  get(id: string): Promise<Answer<ItemAnswer>> {
    return this.call('GET', `/${id}`);
  }

  list(query = ''): Promise<Answer<ListAnswer>> {
    return this.call<ListAnswer>('GET', query);
  }

  patch(id: string, body: unknown): Promise<Answer<ItemAnswer>> {
    return this.call('PATCH', `/${id}`, body);
  }

  acknowledge(id: string, body: unknown): Promise<Answer<ItemAnswer>> {
    return this.call('POST', `/${id}/acknowledge`, body);
  }

  retire(id: string, body: unknown): Promise<Answer<ItemAnswer>> {
    return this.call('POST', `/${id}/retire`, body);
  }
}

/** An owner with peers that are made as they are asked for. */
export async function scheduleScene(start: StartServer, options: TestOptions = {}) {
  const memory = await startMemory(start, options);
  const { people } = memory;
  const tenant = async () => {
    const owner = await people.owner();
    const peer = async (slug: string, rules: object = {}): Promise<SchedulePeer> =>
      new SchedulePeer(people, await people.peer(owner.key, slug, rules));
    return { owner, peer, self: new SchedulePeer(people, owner.key) };
  };
  return { ...memory, tenant };
}

/** Status, code and field of a refusal. */
export const refused = ({
  status,
  body,
}: Answer<{ detail: { code: string; field: string } }>): [number, string, string] => [
  status,
  body.detail.code,
  body.detail.field,
];
