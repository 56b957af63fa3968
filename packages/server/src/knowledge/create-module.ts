import type { ContinuityModule } from '../continuity/create-module.ts';
import { IDLE, type Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { bytesOfFiles, countFiles } from './documents/file-store.ts';
import { graphOf } from './graph/graph.ts';
import { SUMMARY_CAPS } from './graph/section.ts';
import { type KnowledgeContext, knowledgeContext } from './knowledge-context.ts';

export interface KnowledgeModule extends Module {
  readonly context: KnowledgeContext;
}

export function createKnowledgeModule(
  platform: Platform,
  { service: continuity }: ContinuityModule,
): KnowledgeModule {
  continuity.memory.documents.add(countFiles);
  continuity.memory.documentBytes.add(bytesOfFiles);
  const context = knowledgeContext(platform, continuity);
  continuity.sections.provideGraph((caller, subject) => graphOf(context, caller, subject, SUMMARY_CAPS));
  return { ...IDLE, context };
}
