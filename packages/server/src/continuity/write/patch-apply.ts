import type { Capsule } from '@parley/protocol/continuity/capsule';
import { entryKey } from '@parley/protocol/continuity/capsule-fields';
import { fieldOf, type PatchTarget } from '@parley/protocol/continuity/patch-targets';
import { foldDescriptor } from '../capsule/descriptor.ts';
import { badRequest, notFound } from '../../wire/memory/errors.ts';
import type { CheckedOperation } from './patch-shape.ts';

type Item = string | { readonly [key: string]: unknown };

/** A copy of the capsule with the operations done in order; the first that cannot be done ends it all. */
export function applyOperations(capsule: Capsule, operations: readonly CheckedOperation[]): Capsule {
  const copy = structuredClone(capsule);
  for (const operation of operations) apply(copy, operation);
  if (copy.thread_descriptor) copy.thread_descriptor = foldDescriptor(copy.thread_descriptor);
  return copy;
}

function apply(capsule: Capsule, operation: CheckedOperation): void {
  const { target } = operation;
  const list = listAt(capsule, target);
  const index = place(list, operation);
  if (operation.action === 'append') list.push(operation.value);
  else if (operation.action === 'remove') list.splice(index, 1);
  else list[index] = operation.value;
}

/** Where an operation acts; refuses what cannot be done. */
function place(list: readonly Item[], operation: CheckedOperation): number {
  const { target } = operation;
  if (operation.action === 'append') {
    const { most } = fieldOf(target);
    if (list.length >= most) throw badRequest(`append would exceed max length (${most}) for ${target}`);
    return list.length;
  }
  if (operation.action === 'replace_index') {
    const { index } = operation;
    if (index >= 0 && index < list.length) return index;
    throw notFound(`index ${index} out of bounds for ${target} (length ${list.length})`);
  }
  const found = list.findIndex((item) => nameOf(item, target) === operation.match);
  if (found >= 0) return found;
  const action = operation.action === 'remove' ? 'remove' : 'replace_at';
  throw notFound(`no matching item for ${action} on ${target}`);
}

function listAt(capsule: Capsule, target: PatchTarget): Item[] {
  const name = target.slice(target.indexOf('.') + 1);
  let holder: object = capsule;
  if (target.startsWith('continuity.')) holder = capsule.continuity;
  if (target.startsWith('thread_descriptor.')) {
    if (!capsule.thread_descriptor) {
      throw badRequest(`capsule has no thread_descriptor for target '${target}'`);
    }
    holder = capsule.thread_descriptor;
  }
  // Every target names a list of its holder.
  return holder[name as keyof typeof holder] as Item[];
}

const nameOf = (item: Item, target: PatchTarget): string =>
  typeof item === 'string' ? item : entryKey(fieldOf(target), item);
