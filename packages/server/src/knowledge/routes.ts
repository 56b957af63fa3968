import * as declared from '@parley/protocol/knowledge/routes';
import type { FastifyInstance } from 'fastify';
import { memoryRoutes } from '../continuity/memory-routes.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Platform } from '../platform.ts';
import type { MemoryLimits } from '../wire/memory/plugin.ts';
import { nestedTooDeeply } from '../wire/memory/schema-errors.ts';
import { read } from './documents/read.ts';
import { append, write } from './documents/write.ts';
import { indexStatus, rebuild, rebuildIncremental } from './index/rebuild.ts';
import type { KnowledgeContext } from './knowledge-context.ts';
import { retrieve } from './retrieve/retrieve.ts';
import { recent, search } from './search/search.ts';
import { changeTask, createTask, queryTasks } from './tasks/tasks.ts';

/** Documents, tasks, what is found in them, and what an agent begins its work with. */
export async function knowledgeRoutes(
  app: FastifyInstance,
  context: Platform & { readonly identity: IdentityService; readonly knowledge: KnowledgeContext },
  limits: MemoryLimits,
): Promise<void> {
  const { knowledge } = context;
  const { table, add } = memoryRoutes(app, context, {
    limits,
    shape: (usual) => ({ ...usual, tooDeep: nestedTooDeeply }),
  });
  add(declared.write, (call) => write(knowledge, call));
  add(declared.read, (call) => read(knowledge, call));
  add(declared.append, (call) => append(knowledge, call));
  add(declared.rebuild, (call) => rebuild(knowledge, call));
  add(declared.rebuildIncremental, (call) => rebuildIncremental(knowledge, call));
  add(declared.indexStatus, (call) => indexStatus(knowledge, call));
  add(declared.search, (call) => search(knowledge, call));
  add(declared.recent, (call) => recent(knowledge, call));
  add(declared.createTask, (call) => createTask(knowledge, call));
  add(declared.changeTask, (call) => changeTask(knowledge, call));
  add(declared.retrieve, (call) => retrieve(knowledge, call));
  add(declared.queryTasks, (call) => queryTasks(knowledge, call));
  table.refuseOtherMethods();
}
