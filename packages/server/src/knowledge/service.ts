import * as routes from '@parley/protocol/knowledge/routes';
import type { Scope } from '@parley/protocol/identity/scopes';
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
  /** Those that do not depend on what is asked for. */
  readonly scopes: readonly Scope[];
  run(call: KnowledgeCall<unknown, unknown>): Promise<object>;
}

/** Documents, tasks, what is found in them, and what an agent begins its work with. */
export class KnowledgeService {
  readonly knowledge: KnowledgeContext;
  readonly operations: ReadonlyMap<string, KnowledgeOperation>;

  constructor(knowledge: KnowledgeContext) {
    this.knowledge = knowledge;
    const known = [
      operation(routes.write, [], (call) => write(knowledge, call)),
      operation(routes.read, ['read:files'], (call) => read(knowledge, call)),
      operation(routes.append, [], (call) => append(knowledge, call)),
      operation(routes.rebuild, ['read:index'], (call) => rebuild(knowledge, call)),
      operation(routes.rebuildIncremental, ['read:index'], (call) => rebuildIncremental(knowledge, call)),
      operation(routes.indexStatus, ['read:index'], (call) => indexStatus(knowledge, call)),
      operation(routes.search, ['search'], (call) => search(knowledge, call)),
      operation(routes.recent, ['search'], (call) => recent(knowledge, call)),
      operation(routes.createTask, ['write:projects'], (call) => createTask(knowledge, call)),
      operation(routes.changeTask, ['write:projects'], (call) => changeTask(knowledge, call)),
      operation(routes.retrieve, ['search'], (call) => retrieve(knowledge, call)),
      operation(routes.queryTasks, ['read:files'], (call) => queryTasks(knowledge, call)),
    ];
    this.operations = new Map(known.map((each) => [each.route.name, each]));
  }
}

function operation<Body extends z.ZodType, Query extends z.ZodType>(
  route: RouteDeclaration<Body, Query>,
  scopes: readonly Scope[],
  run: (call: KnowledgeCall<z.output<Body>, z.output<Query>>) => Promise<object>,
): KnowledgeOperation {
  // Whoever calls has checked body and query with the schemas of the route.
  return { route, scopes, run: (call) => run(call as KnowledgeCall<z.output<Body>, z.output<Query>>) };
}
