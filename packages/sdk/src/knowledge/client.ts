import type { Sent } from '@parley/protocol/continuity/sent';
import type * as requests from '@parley/protocol/knowledge/requests';
import * as routes from '@parley/protocol/knowledge/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import { jsonObject } from '../channels/channel-error.ts';
import { FetchTransport } from '../channels/fetch-transport.ts';
import type { Transport } from '../channels/transport.ts';
import { MemoryError, memoryError } from '../memory/memory-error.ts';
import type * as answers from './answers.ts';

/** A rebuild goes through every document. */
const CALL_TIMEOUT_MS = 600_000;

export interface KnowledgeOptions {
  server: string;
  /** An API key or a session token. */
  key: string;
  transport?: Transport | undefined;
}

/**
 * The documents and tasks of one owner, what is found in them, and what to begin a task with.
 *
 * ```ts
 * const knowledge = new KnowledgeClient({ server: 'http://127.0.0.1:7330', key });
 * const { bundle } = await knowledge.retrieve({ task: 'thread:tide-cache' });
 * ```
 */
export class KnowledgeClient {
  readonly #transport: Transport;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ server, key, transport }: KnowledgeOptions) {
    this.#transport = transport ?? new FetchTransport(server, fetchHere);
    this.#headers = { authorization: `Bearer ${key}` };
  }

  write(request: Sent<typeof requests.writeRequest>): Promise<answers.WriteAnswer> {
    return this.#call(routes.write, { body: request });
  }

  append(request: Sent<typeof requests.appendRequest>): Promise<answers.WriteAnswer> {
    return this.#call(routes.append, { body: request });
  }

  read(path: string): Promise<answers.DocumentAnswer> {
    return this.#call(routes.read, { query: { path } });
  }

  rebuildIndex(): Promise<answers.RebuildAnswer> {
    return this.#call(routes.rebuild);
  }

  updateIndex(): Promise<answers.IncrementalAnswer> {
    return this.#call(routes.rebuildIncremental);
  }

  indexStatus(): Promise<answers.IndexStatusAnswer> {
    return this.#call(routes.indexStatus);
  }

  search(request: Sent<typeof requests.searchDocumentsRequest>): Promise<answers.FoundAnswer> {
    return this.#call(routes.search, { body: request });
  }

  recent(request: Sent<typeof requests.recentRequest> = {}): Promise<answers.FoundAnswer> {
    return this.#call(routes.recent, { body: request });
  }

  createTask(request: Sent<typeof requests.createTaskRequest>): Promise<answers.TaskAnswer> {
    return this.#call(routes.createTask, { body: request });
  }

  changeTask(id: string, request: Sent<typeof requests.changeTaskRequest>): Promise<answers.TaskAnswer> {
    return this.#call(routes.changeTask, { body: request, id });
  }

  tasks(query: Sent<typeof requests.tasksQuery> = {}): Promise<answers.TasksAnswer> {
    return this.#call(routes.queryTasks, { query });
  }

  retrieve(request: Sent<typeof requests.retrieveRequest>): Promise<answers.RetrieveAnswer> {
    return this.#call(routes.retrieve, { body: request });
  }

  async #call<Answer>(route: RouteDeclaration, { body, query, id }: Parts = {}): Promise<Answer> {
    const path = id === undefined ? route.path : route.path.replace('{task_id}', encodeURIComponent(id));
    const answer = await this.#transport.request({
      method: route.method,
      path: query ? `${path}?${asQuery(query)}` : path,
      ...(body && { body: JSON.stringify(body) }),
      headers: this.#headers,
      timeoutMs: CALL_TIMEOUT_MS,
    });
    if (answer.status !== route.success) throw memoryError(answer);
    if (jsonObject(answer.body)?.['ok'] !== true) throw notOurs(route);
    // It says `ok`: an answer of this route, whose shape is part of the protocol.
    return JSON.parse(answer.body) as Answer;
  }
}

interface Parts {
  readonly body?: object;
  readonly query?: object;
  readonly id?: string;
}

function asQuery(query: object): URLSearchParams {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/** A redirect would carry the key to wherever it points. */
const fetchHere: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: 'error' });

/** A 200 that is not ours, for instance the login page of a captive portal. */
const notOurs = (route: RouteDeclaration): MemoryError =>
  new MemoryError(502, { detail: `the answer to ${route.name} is not that of a Parley server` });
