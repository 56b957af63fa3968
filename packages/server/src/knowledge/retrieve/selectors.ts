import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import type { RetrieveRequest } from '@parley/protocol/knowledge/requests';
import { type Subject, subjectOf } from '../../continuity/capsule/subject.ts';
import type { Caller } from '../../wire/caller.ts';
import { badRequest } from '../../wire/memory/errors.ts';
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

export interface Selector extends Subject {
  readonly resolution: 'explicit' | 'inferred';
}

/** The subject the request is about; undefined without one. Half of one is an error in every mode. */
export function primarySubject({ subject_kind: kind, subject_id: id }: RetrieveRequest): Subject | undefined {
  const hasId = id != null && id !== '';
  if (kind == null && !hasId) return undefined;
  if (kind == null || !hasId) throw badRequest('subject_kind and subject_id must be provided together');
  return subjectOf(kind, id);
}

/** Which capsules are asked for: the subject, then the selectors, each once; without any, what the task's text names. */
export function selectorsOf(request: RetrieveRequest, primary: Subject | undefined): Selector[] {
  const asked = [
    ...(primary ? [primary] : []),
    ...request.continuity_selectors.map(({ subject_kind, subject_id }) =>
      subjectOf(subject_kind, subject_id),
    ),
  ];
  const distinct = new Map<string, Selector>();
  for (const subject of asked) {
    const name = `${subject.kind}:${subject.slug}`;
    if (!distinct.has(name)) distinct.set(name, { ...subject, resolution: 'explicit' });
  }
  if (distinct.size > 0) return [...distinct.values()];
  const inferred = inferredFrom(request.task);
  return inferred ? [inferred] : [];
}

const NAMED = /^(task|thread):(.+)$/s;

/** Users and peers are never guessed. */
function inferredFrom(task: string): Selector | undefined {
  const found = NAMED.exec(task.trim());
  const id = found?.[2]?.trim() ?? '';
  if (!found || id === '') return undefined;
  return { ...subjectOf(found[1] as SubjectKind, id), resolution: 'inferred' };
}

export const labelOf = ({ kind, id }: Pick<Subject, 'kind' | 'id'>): string => `${kind}:${id}`;
