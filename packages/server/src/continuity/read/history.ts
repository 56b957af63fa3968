import type {
  DiffRequest,
  HistoryRequest,
  RestoreRequest,
} from '@parley/protocol/continuity/beyond-requests';
import type { Capsule } from '@parley/protocol/continuity/capsule';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { isObject } from '@parley/protocol/json';
import { readableSubject, requireWrite } from '../access.ts';
import { aliasNotices, messageOf, withNotices } from '../answers.ts';
import { findActiveDocument } from '../artifacts/artifact-store.ts';
import type { MemoryOperation } from '../call.ts';
import { futureNotices, refuseNotNewer } from '../rules/clock-rule.ts';
import { changedFields, changesBetween, type Difference } from './compare.ts';
import { resetNotices } from '../artifacts/ended-thread.ts';
import { canonicalTime, requireInstant } from '../capsule/instant.ts';
import { locate } from '../artifacts/paths.ts';
import { requireState, revisionCapsule } from './references.ts';
import { activeBefore, type RevisionRow, revisionsBefore } from '../artifacts/revision-store.ts';
import { writePlanned } from '../write/change-in-place.ts';
import { anchorKey } from '../capsule/descriptor.ts';
import { sameJson } from '../capsule/same-json.ts';

/** What was written for a subject, newest first. */
export const history: MemoryOperation<HistoryRequest> = async (memory, { caller, body }) => {
  const { subject, path } = readableSubject(caller, body);
  const before = body.before ?? Number.MAX_SAFE_INTEGER;
  // One more tells whether there is another page.
  const rows = await revisionsBefore(memory.database.read, caller.ownerId, subject, {
    before,
    kept: memory.settings.revisionsKept,
    limit: body.limit + 1,
  });
  const shown = rows.slice(0, body.limit);
  const last = shown.at(-1);
  const oldest = rows.at(-1);
  // What the last one shown changed may be told by one further back: not every revision is about the active capsule.
  const further =
    oldest && (await activeBefore(memory.database.read, caller.ownerId, subject, oldest.number));
  const known = further ? [...rows, further] : rows;
  const revisions = shown.map((row, index) => revisionView(row, known.slice(index + 1)));
  memory.audit(caller, 'history', { path, count: shown.length });
  return {
    ok: true,
    revisions,
    next_before: rows.length > shown.length && last ? last.number : null,
  };
};

function revisionView(row: RevisionRow, earlier: readonly RevisionRow[]): object {
  return {
    revision: row.number,
    operation: row.operation,
    updated_at: row.updated_at === null ? null : canonicalTime(row.updated_at),
    recorded_at: isoSeconds(row.recorded_at),
    peer_id: row.peer_id,
    commit_message: row.commit_message,
    reason: row.reason,
    idempotency_key: row.idempotency_key,
    capsule_sha256: row.sha256,
    changed_fields: changesOf(row, earlier),
  };
}

function changesOf(row: RevisionRow, earlier: readonly RevisionRow[]): string[] {
  const after = isActive(row) ? revisionCapsule(row)?.capsule : undefined;
  if (!after) return [];
  const previous = earlier.find((each) => isActive(each) || each.operation === 'archive');
  const before = previous && revisionCapsule(previous)?.capsule;
  return changedFields(before, after);
}

const isActive = ({ path }: RevisionRow): boolean => locate(path)?.state === 'active';

/** What differs between two states, path by path. */
export const diff: MemoryOperation<DiffRequest> = async (memory, { caller, body }) => {
  const { subject, path } = readableSubject(caller, body);
  const reader = memory.database.read;
  const from = await requireState(reader, caller, subject, body.from);
  const to = await requireState(reader, caller, subject, body.to);
  const changes = changesBetween(from, to).map((change) => ({
    path: change.path,
    before: change.before ?? null,
    after: change.after ?? null,
    ...listChange(change),
  }));
  const identical = changes.length === 0;
  memory.audit(caller, 'diff', { path, identical });
  return { ok: true, path, identical, changes };
};

/** Writes an older state as a new one, under the ordinary rule of clocks. */
export const restore: MemoryOperation<RestoreRequest> = async (memory, { caller, body }) => {
  const { ownerId } = caller;
  const { subject, path } = readableSubject(caller, body);
  requireWrite(caller, path);
  const updatedAt = requireInstant(body.updated_at, 'updated_at');
  const { planned, written, sha256 } = await writePlanned(memory, {
    caller,
    subject,
    operation: 'restore',
    commitMessage: messageOf('restore', subject.kind, body.subject_id),
    reason: body.reason,
    plan: async (reader, now) => {
      const chosen = await requireState(reader, caller, subject, body.from);
      const replaced = await findActiveDocument(reader, ownerId, subject);
      refuseNotNewer(updatedAt, replaced?.readable === 1 ? replaced.updated_key : undefined);
      const capsule: Capsule = { ...chosen, updated_at: body.updated_at };
      const notices = [
        ...futureNotices(updatedAt, now),
        ...aliasNotices(capsule.subject_id, subject.id),
        ...resetNotices(capsule, replaced),
      ];
      return { capsule, replaced, notices };
    },
  });
  memory.audit(caller, 'restore', { path, capsule_sha256: sha256 });
  const answer = {
    ok: true,
    path,
    created: planned.replaced === undefined,
    updated: planned.replaced !== undefined,
    revision: written.revision.number,
    durable: true,
    latest_commit: written.commit,
    capsule_sha256: sha256,
    warnings: [],
    recovery_warnings: [],
  };
  return withNotices(answer, planned.notices);
};

/**
 * For lists: what came, what went, and which entries of the same name now say something else. A list that one state
 * does not have came or went with all that is in it.
 */
function listChange({ before = [], after = [] }: Difference): object {
  if (!Array.isArray(before) || !Array.isArray(after)) return {};
  const left = new Map(before.map((item) => [nameOf(item), item]));
  const right = new Map(after.map((item) => [nameOf(item), item]));
  const changed = [...right]
    .filter(([name, item]) => left.has(name) && !sameJson(left.get(name), item))
    .map(([name]) => name);
  return {
    added: [...right].filter(([name]) => !left.has(name)).map(([, item]) => item),
    removed: [...left].filter(([name]) => !right.has(name)).map(([, item]) => item),
    ...(changed.length > 0 && { changed }),
  };
}

function nameOf(item: unknown): string {
  if (typeof item === 'string') return item;
  if (!isObject(item)) return JSON.stringify(item);
  if (typeof item.tag === 'string') return item.tag;
  if (typeof item.decision === 'string') return item.decision;
  if (typeof item.value === 'string') return anchorKey({ kind: String(item.kind), value: item.value });
  return JSON.stringify(item);
}
