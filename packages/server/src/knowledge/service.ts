import * as routes from '@parley/protocol/knowledge/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { z } from 'zod';
import type { KnowledgeCall } from './call.ts';
import { read } from './documents/read.ts';
import { append, write } from './documents/write.ts';
import { indexStatus, rebuild, rebuildIncremental } from './index/rebuild.ts';
import type { KnowledgeContext } from './knowledge-context.ts';
import { retrieve } from './retrieve/retrieve.ts';
import { recent, search } from './search/search.ts';
import { changeTask, createTask, queryTasks } from './tasks/tasks.ts';

/** An operation by its declaration: what it needs, and what it does, whatever transport it came by. */
export interface KnowledgeOperation {
  readonly route: RouteDeclaration;
  run(call: KnowledgeCall<unknown, unknown>): Promise<object>;
}

/** Documents, tasks, what is found in them, and what an agent begins its work with. */
export class KnowledgeService {
  readonly knowledge: KnowledgeContext;
  readonly operations: ReadonlyMap<string, KnowledgeOperation>;

  constructor(knowledge: KnowledgeContext) {
    this.knowledge = knowledge;
    const known = [
      operation(routes.write, (call) => write(knowledge, call)),
      operation(routes.read, (call) => read(knowledge, call)),
      operation(routes.append, (call) => append(knowledge, call)),
      operation(routes.rebuild, (call) => rebuild(knowledge, call)),
      operation(routes.rebuildIncremental, (call) => rebuildIncremental(knowledge, call)),
      operation(routes.indexStatus, (call) => indexStatus(knowledge, call)),
      operation(routes.search, (call) => search(knowledge, call)),
      operation(routes.recent, (call) => recent(knowledge, call)),
      operation(routes.createTask, (call) => createTask(knowledge, call)),
      operation(routes.changeTask, (call) => changeTask(knowledge, call)),
      operation(routes.retrieve, (call) => retrieve(knowledge, call)),
      operation(routes.queryTasks, (call) => queryTasks(knowledge, call)),
    ];
    this.operations = new Map(known.map((each) => [each.route.name, each]));
  }
}

function operation<Body extends z.ZodType, Query extends z.ZodType>(
  route: RouteDeclaration<Body, Query>,
  run: (call: KnowledgeCall<z.output<Body>, z.output<Query>>) => Promise<object>,
): KnowledgeOperation {
  // Whoever calls has checked body and query with the schemas of the route.
  return { route, run: (call) => run(call as KnowledgeCall<z.output<Body>, z.output<Query>>) };
}
