import type { PatchRequest } from '@parley/protocol/continuity/requests';
import { requireWrite } from '../access.ts';
import { aliasNotices, messageOf } from '../answers.ts';
import type { MemoryOperation } from '../call.ts';
import { changeInPlace } from './change-in-place.ts';
import { futureNotices, refuseNotNewer } from '../rules/clock-rule.ts';
import { requireInstant } from '../capsule/instant.ts';
import { normalise } from '../capsule/normalise.ts';
import { type CheckedOperation, checkOperations } from './patch-shape.ts';
import { activePath } from '../artifacts/paths.ts';
import { requireValid } from '../rules/rules.ts';
import { stamp } from '../capsule/stamp.ts';
import { findActive, requireChangeable } from '../artifacts/stored-capsule.ts';
import { subjectOf } from '../capsule/subject.ts';
import type { Capsule } from '@parley/protocol/continuity/capsule';
import { entryKey } from '@parley/protocol/continuity/capsule-fields';
import { fieldOf, type PatchTarget } from '@parley/protocol/continuity/patch-targets';
import { foldDescriptor } from '../capsule/descriptor.ts';
import { badRequest, notFound } from '../../wire/memory/errors.ts';

/** Edits single list items, all or nothing. */
export const patch: MemoryOperation<PatchRequest> = async (memory, { caller, body }) => {
  const operations = checkOperations(body.operations, body.explain);
  const subject = subjectOf(body.subject_kind, body.subject_id);
  const path = activePath(subject);
  requireWrite(caller, path);
  return await changeInPlace(memory, {
    caller,
    subject,
    path,
    operation: 'patch',
    commitMessage: messageOf('patch', body.subject_kind, body.subject_id, body.commit_message),
    dryRun: body.dry_run,
    plan: async (reader, now) => {
      const active = requireChangeable(await findActive(reader, caller.ownerId, subject));
      const updatedAt = requireInstant(body.updated_at, 'updated_at');
      refuseNotNewer(updatedAt, active.row.updated_key);
      const before = active.loaded.capsule;
      const edited = { ...applyOperations(before, operations), updated_at: body.updated_at };
      const { capsule: clean, applied } = normalise(edited);
      const capsule = stamp(clean, before, body.updated_at);
      requireValid(capsule, { explain: body.explain });
      const notices = [...futureNotices(updatedAt, now), ...aliasNotices(before.subject_id, subject.id)];
      return { capsule, before, replaced: active.row, normalizations: applied, notices };
    },
    audited: () => ({ operations: operations.length }),
    told: ({ planned, written, sha256 }) => ({
      updated: true,
      durable: true,
      latest_commit: written.commit,
      capsule_sha256: sha256,
      operations_applied: operations.length,
      normalizations_applied: planned.normalizations,
      warnings: [],
      recovery_warnings: [],
    }),
  });
};

type Item = string | { readonly [key: string]: unknown };

/** A copy of the capsule with the operations done in order; the first that cannot be done ends it all. */
function applyOperations(capsule: Capsule, operations: readonly CheckedOperation[]): Capsule {
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
