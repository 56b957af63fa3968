import { auditIn } from '../continuity/audit.ts';
import type { ContinuityModule } from '../continuity/create-module.ts';
import type { IdentityService } from '../identity/service.ts';
import { errorFields } from '../platform/log.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { bytesOfFiles, countFiles } from './documents/file-store.ts';
import { graphOf } from './graph/graph.ts';
import { SUMMARY_CAPS } from './graph/section.ts';
import type { KnowledgeContext } from './knowledge-context.ts';
import { TermMemory } from './search/term-memory.ts';
import { KnowledgeService } from './service.ts';

export interface KnowledgeModule extends Module {
  readonly service: KnowledgeService;
}

/** What its routes are made from. */
export interface KnowledgeAppContext extends Platform {
  readonly identity: IdentityService;
  readonly knowledge: KnowledgeModule;
}

export function createKnowledgeModule(
  platform: Platform,
  { service: continuity }: ContinuityModule,
): KnowledgeModule {
  const { clock, database, log } = platform;
  const { memory } = continuity;
  memory.held.add(countFiles);
  memory.heldBytes.add(bytesOfFiles);
  const knowledge: KnowledgeContext = {
    database,
    clock,
    continuity,
    memory,
    terms: new TermMemory(),
    audit: auditIn(log, 'knowledge'),
    onError: (error) => log.error('knowledge_failed', errorFields(error)),
  };
  const service = new KnowledgeService(knowledge);
  continuity.sections.provideGraph((caller, subject) => graphOf(knowledge, caller, subject, SUMMARY_CAPS));
  return {
    service,
    start: () => Promise.resolve(),
    release: () => undefined,
    close: () => Promise.resolve(),
  };
}
