import type { ContinuityService } from '../continuity/service.ts';
import type { Platform } from '../platform.ts';
import { bytesOfFiles } from './documents/file-store.ts';
import { files } from './documents/file-table.ts';
import { graphOf } from './graph/graph.ts';
import { SUMMARY_CAPS } from './graph/section.ts';
import { type KnowledgeContext, knowledgeContext } from './knowledge-context.ts';

export function createKnowledgeModule(platform: Platform, continuity: ContinuityService): KnowledgeContext {
  continuity.memory.documents.addRows(files);
  continuity.memory.documentBytes.add(bytesOfFiles);
  const context = knowledgeContext(platform, continuity);
  continuity.sections.graphOf = (caller, subject) => graphOf(context, caller, subject, SUMMARY_CAPS);
  return context;
}
