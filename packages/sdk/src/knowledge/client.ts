import type { Sent } from '@parley/protocol/continuity/sent';
import type * as requests from '@parley/protocol/knowledge/requests';
import * as routes from '@parley/protocol/knowledge/routes';
import { memoryCaller } from '../memory/memory-caller.ts';
import type { CallerOptions, RouteCaller } from '../route-caller.ts';
import type * as answers from './answers.ts';

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

  write(request: Sent<typeof requests.writeRequest>): Promise<answers.WriteAnswer> {
    return this.#caller.call(routes.write, { body: request });
  }

  append(request: Sent<typeof requests.appendRequest>): Promise<answers.WriteAnswer> {
    return this.#caller.call(routes.append, { body: request });
  }

  read(path: string): Promise<answers.DocumentAnswer> {
    return this.#caller.call(routes.read, { query: { path } });
  }

  rebuildIndex(): Promise<answers.RebuildAnswer> {
    return this.#caller.call(routes.rebuild);
  }

  updateIndex(): Promise<answers.IncrementalAnswer> {
    return this.#caller.call(routes.rebuildIncremental);
  }

  indexStatus(): Promise<answers.IndexStatusAnswer> {
    return this.#caller.call(routes.indexStatus);
  }

  search(request: Sent<typeof requests.searchDocumentsRequest>): Promise<answers.FoundAnswer> {
    return this.#caller.call(routes.search, { body: request });
  }

  recent(request: Sent<typeof requests.recentRequest> = {}): Promise<answers.FoundAnswer> {
    return this.#caller.call(routes.recent, { body: request });
  }

  createTask(request: Sent<typeof requests.createTaskRequest>): Promise<answers.TaskAnswer> {
    return this.#caller.call(routes.createTask, { body: request });
  }

  changeTask(id: string, request: Sent<typeof requests.changeTaskRequest>): Promise<answers.TaskAnswer> {
    return this.#caller.call(routes.changeTask, { body: request, path: [id] });
  }

  tasks(query: Sent<typeof requests.tasksQuery> = {}): Promise<answers.TasksAnswer> {
    return this.#caller.call(routes.queryTasks, { query });
  }

  retrieve(request: Sent<typeof requests.retrieveRequest>): Promise<answers.RetrieveAnswer> {
    return this.#caller.call(routes.retrieve, { body: request });
  }
}
