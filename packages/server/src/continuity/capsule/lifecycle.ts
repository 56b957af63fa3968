import type { Capsule, ThreadDescriptor } from '@parley/protocol/continuity/capsule';
import type { Lifecycle, Transition } from '@parley/protocol/continuity/vocabulary';
import { badRequest } from '../../wire/memory/errors.ts';

/*
 * Where a thread or task stands.
 *
 *              suspend     resume    conclude    supersede
 *   active     suspended   –         concluded   superseded
 *   suspended  –           active    concluded   superseded
 *   concluded  over: no transition leads out
 *   superseded over: no transition leads out
 */
const TABLE: Readonly<Record<Lifecycle, Readonly<Partial<Record<Transition, Lifecycle>>>>> = {
  active: { suspend: 'suspended', conclude: 'concluded', supersede: 'superseded' },
  suspended: { resume: 'active', conclude: 'concluded', supersede: 'superseded' },
  concluded: {},
  superseded: {},
};

/** Where a thread begins. */
const BEGINNING: Lifecycle = 'active';

export const lifecycleOf = (descriptor: ThreadDescriptor | undefined): Lifecycle =>
  descriptor?.lifecycle ?? BEGINNING;

export function nextLifecycle(from: Lifecycle, transition: Transition): Lifecycle {
  if (hasEnded(from)) {
    throw badRequest(`lifecycle transition not allowed from terminal state '${from}'`);
  }
  const next = TABLE[from][transition];
  if (!next) throw badRequest(`lifecycle transition '${transition}' not allowed from '${from}'`);
  return next;
}

/** The descriptor after a transition; only a superseded one names its successor. */
export function transitioned(
  descriptor: ThreadDescriptor,
  transition: Transition,
  supersededBy: string | undefined,
): ThreadDescriptor {
  return placed(descriptor, nextLifecycle(lifecycleOf(descriptor), transition), supersededBy);
}

/** Where the thread of a capsule about to be stored stands, whatever its author says of it. */
export function settleLifecycle(
  capsule: Capsule,
  stored: Pick<Capsule, 'thread_descriptor'> | undefined,
  transition: Transition | null | undefined,
  supersededBy: string | null | undefined,
): Capsule {
  const { thread_descriptor: descriptor } = capsule;
  const before = stored?.thread_descriptor;
  if (!descriptor || !before) {
    if (transition) throw badRequest('no thread_descriptor to transition; create one first');
    return descriptor ? { ...capsule, thread_descriptor: placed(descriptor, BEGINNING, undefined) } : capsule;
  }
  const carried = carriedOn(descriptor, before);
  const settled = transition ? transitioned(carried, transition, supersededBy ?? undefined) : carried;
  return { ...capsule, thread_descriptor: settled };
}

/** A new descriptor of a thread that stands where it stood. */
export const carriedOn = (
  descriptor: ThreadDescriptor,
  before: ThreadDescriptor | undefined,
): ThreadDescriptor => placed(descriptor, lifecycleOf(before), before?.superseded_by);

/** A descriptor without what only the service decides. */
export function withoutLifecycle(descriptor: ThreadDescriptor): ThreadDescriptor {
  const { lifecycle: _lifecycle, superseded_by: _supersededBy, ...rest } = descriptor;
  return rest;
}

function placed(
  descriptor: ThreadDescriptor,
  lifecycle: Lifecycle,
  supersededBy: string | undefined,
): ThreadDescriptor {
  return {
    ...withoutLifecycle(descriptor),
    lifecycle,
    ...(supersededBy !== undefined && { superseded_by: supersededBy }),
  };
}

export const hasEnded = (lifecycle: Lifecycle): boolean => Object.keys(TABLE[lifecycle]).length === 0;

/** Names its subject in any case. */
export function supersededWarnings({ subject_id: id, thread_descriptor: descriptor }: Capsule): string[] {
  if (descriptor?.lifecycle !== 'superseded') return [];
  return [`continuity_capsule_superseded:thread:${id}→${descriptor.superseded_by ?? ''}`];
}
