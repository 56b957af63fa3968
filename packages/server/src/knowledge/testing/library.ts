import { AGENT_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import { Memory, type MemoryServer, startMemory } from '../../continuity/testing/memory.ts';
import type { StartServer } from '../../testing/each-server.ts';
import type { Answer } from '../../testing/http-client.ts';
import type { TestOptions } from '../../testing/start-server.ts';

export interface Result {
  path: string;
  type: string;
  size: number;
  modified_at: string;
  snippet: string;
  tags: string[];
  importance: number | null;
  score: number | null;
}

export interface Found {
  count: number;
  results: Result[];
}

/** One owner's documents and tasks, called as an agent would. */
export class Library {
  readonly #home: MemoryServer;
  readonly memory: Memory;

  constructor(home: MemoryServer, memory: Memory) {
    this.#home = home;
    this.memory = memory;
  }

  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    call: { body?: unknown; query?: Record<string, string | number>; key?: string } = {},
  ): Promise<Answer<Body>> {
    return this.#home.people.call<Body>(method, path, { key: this.memory.key, ...call });
  }

  post<Body = Record<string, unknown>>(path: string, body?: unknown): Promise<Answer<Body>> {
    return this.call<Body>('POST', path, { body });
  }

  write(path: string, content: string): Promise<Answer> {
    return this.post('/v1/write', { path, content });
  }

  /** Stored, or the test fails. */
  async put(path: string, content: string): Promise<void> {
    const answer = await this.write(path, content);
    if (answer.status !== 200) throw new Error(`not written: ${answer.text}`);
  }

  read(path: string): Promise<Answer<{ path: string; content: string }>> {
    return this.call('GET', '/v1/read', { query: { path } });
  }

  async rebuild(): Promise<void> {
    const answer = await this.post('/v1/index/rebuild');
    if (answer.status !== 200) throw new Error(`not rebuilt: ${answer.text}`);
  }

  search(query: string, more: object = {}): Promise<Answer<Found>> {
    return this.post<Found>('/v1/search', { query, ...more });
  }

  recent(more: object = {}): Promise<Answer<Found>> {
    return this.post<Found>('/v1/recent', more);
  }

  /** The paths found, in order. */
  async found(query: string, more: object = {}): Promise<string[]> {
    const { body } = await this.search(query, more);
    return body.results.map(({ path }) => path);
  }

  /** Created, or the test fails. */
  async task(id: string, more: object = {}): Promise<void> {
    const answer = await this.post('/v1/tasks', { task_id: id, title: id, owner_peer: 'self', ...more });
    if (answer.status !== 200) throw new Error(`not created: ${answer.text}`);
  }

  /** The same owner by a key that may do less: no administrator in any case. */
  async lesser(limits: object): Promise<Library> {
    const { status, text, body } = await this.call<{ api_key: string }>('POST', '/v1/keys', {
      body: { scopes: AGENT_KEY_SCOPES, ...limits },
    });
    if (status !== 201) throw new Error(text);
    return new Library(
      this.#home,
      new Memory(this.#home.people, { id: this.memory.ownerId, key: body.api_key }),
    );
  }
}

export interface LibraryServer extends MemoryServer {
  library(): Promise<Library>;
}

/** A server whose clock stands still. */
export async function startLibrary(start: StartServer, options: TestOptions = {}): Promise<LibraryServer> {
  const home = await startMemory(start, options);
  return { ...home, library: async () => new Library(home, await home.owner()) };
}
