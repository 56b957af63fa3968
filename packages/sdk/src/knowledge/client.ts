import type { Sent } from '@parley/protocol/continuity/sent';
import type * as requests from '@parley/protocol/knowledge/requests';
import * as routes from '@parley/protocol/knowledge/routes';
import type { AnswerOf } from '@parley/protocol/route';
import { memoryCaller } from '../memory/memory-caller.ts';
import type { CallerOptions, RouteCaller } from '../route-caller.ts';

/** A rebuild goes through every document. */
const CALL_TIMEOUT_MS = 600_000;

/**
 * The documents and tasks of one owner, what is found in them, and what to begin a task with.
 *
 * ```ts
 * const knowledge = new KnowledgeClient({ server: 'http://127.0.0.1:7330', key });
 * const { bundle } = await knowledge.retrieve({ task: 'thread:tide-cache' });
 * ```
 */
export class KnowledgeClient {
  readonly #caller: RouteCaller;

  constructor(options: CallerOptions) {
    this.#caller = memoryCaller(options, CALL_TIMEOUT_MS);
  }

  write(request: Sent<typeof requests.writeRequest>): Promise<AnswerOf<typeof routes.write>> {
    return this.#caller.call(routes.write, { body: request });
  }

  append(request: Sent<typeof requests.appendRequest>): Promise<AnswerOf<typeof routes.append>> {
    return this.#caller.call(routes.append, { body: request });
  }

  read(path: string): Promise<AnswerOf<typeof routes.read>> {
    return this.#caller.call(routes.read, { query: { path } });
  }

  rebuildIndex(): Promise<AnswerOf<typeof routes.rebuild>> {
    return this.#caller.call(routes.rebuild);
  }

  updateIndex(): Promise<AnswerOf<typeof routes.rebuildIncremental>> {
    return this.#caller.call(routes.rebuildIncremental);
  }

  indexStatus(): Promise<AnswerOf<typeof routes.indexStatus>> {
    return this.#caller.call(routes.indexStatus);
  }

  search(request: Sent<typeof requests.searchDocumentsRequest>): Promise<AnswerOf<typeof routes.search>> {
    return this.#caller.call(routes.search, { body: request });
  }

  recent(request: Sent<typeof requests.recentRequest> = {}): Promise<AnswerOf<typeof routes.recent>> {
    return this.#caller.call(routes.recent, { body: request });
  }

  createTask(request: Sent<typeof requests.createTaskRequest>): Promise<AnswerOf<typeof routes.createTask>> {
    return this.#caller.call(routes.createTask, { body: request });
  }

  changeTask(
    id: string,
    request: Sent<typeof requests.changeTaskRequest>,
  ): Promise<AnswerOf<typeof routes.changeTask>> {
    return this.#caller.call(routes.changeTask, { body: request, path: [id] });
  }

  tasks(query: Sent<typeof requests.tasksQuery> = {}): Promise<AnswerOf<typeof routes.queryTasks>> {
    return this.#caller.call(routes.queryTasks, { query });
  }

  retrieve(request: Sent<typeof requests.retrieveRequest>): Promise<AnswerOf<typeof routes.retrieve>> {
    return this.#caller.call(routes.retrieve, { body: request });
  }
}
