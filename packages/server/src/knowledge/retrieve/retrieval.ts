import type { RetrieveRequest } from '@parley/protocol/knowledge/requests';
import type { Subject } from '../../continuity/capsule/subject.ts';
import type { Caller } from '../../wire/caller.ts';
import type { KnowledgeContext } from '../knowledge-context.ts';

/** Who asks for what: all that the parts of an answer are made from. */
export interface Retrieval {
  readonly knowledge: KnowledgeContext;
  readonly caller: Caller;
  readonly request: RetrieveRequest;
  /** What it is about. */
  readonly primary: Subject | undefined;
  readonly now: number;
}
