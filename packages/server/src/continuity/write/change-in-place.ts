import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Caller } from '../../wire/caller.ts';
import type { Reader } from '../../platform/database/database.ts';
import { peerIdOf } from '../access.ts';
import { withNotices } from '../answers.ts';
import type { DocumentRow } from '../artifacts/artifact-store.ts';
import type { AuditFields } from '../audit.ts';
import { sha256 } from '../capsule/canonical.ts';
import { type MemoryContext, writeSubject } from '../memory-context.ts';
import { changedFields } from '../read/compare.ts';
import type { Operation } from '../artifacts/revision-store.ts';
import { requireFitting } from '../rules/rules.ts';
import type { Subject } from '../capsule/subject.ts';
import type { RecordedChange } from '../artifacts/record-change.ts';
import { writeCapsule } from './write-capsule.ts';

interface PlannedWrite {
  readonly capsule: Capsule;
  /** What stands there now. */
  readonly replaced: DocumentRow | undefined;
}

/** What is to become of a stored capsule. */
interface PlannedChange extends PlannedWrite {
  readonly before: Capsule;
  readonly replaced: DocumentRow;
  readonly normalizations: readonly string[];
  readonly notices: readonly string[];
}

interface Writing<Planned extends PlannedWrite> {
  readonly caller: Caller;
  readonly subject: Subject;
  readonly operation: Operation;
  readonly commitMessage: string;
  readonly reason?: string | undefined;
  /** Looks at what is stored and says what it should be; may run more than once. */
  readonly plan: (reader: Reader, now: number) => Promise<Planned>;
}

interface Written<Planned extends PlannedWrite> {
  readonly planned: Planned;
  readonly written: RecordedChange;
  readonly sha256: string;
}

interface InPlace<Planned extends PlannedChange> extends Writing<Planned> {
  readonly path: string;
  readonly dryRun: boolean;
  /** What is told of a rehearsal, beside what would change. */
  readonly rehearsed?: (planned: Planned) => object;
  readonly audited: (planned: Planned) => AuditFields;
  readonly told: (done: Written<Planned>) => object;
}

/** Changes the stored capsule of a subject under its lock, or only says what would change. */
export async function changeInPlace<Planned extends PlannedChange>(
  memory: MemoryContext,
  change: InPlace<Planned>,
): Promise<object> {
  const { path, operation, caller } = change;
  if (change.dryRun) {
    const planned = await change.plan(memory.database.read, memory.clock.now());
    const hash = sha256(requireFitting(planned.capsule));
    const changes = hash !== planned.replaced.sha256;
    const answer = rehearsalOf(path, { ...planned, sha256: hash, changes, recoveryWarnings: [] });
    return withNotices({ ...answer, ...change.rehearsed?.(planned) }, planned.notices);
  }
  const done = await writePlanned(memory, change);
  const { planned, sha256: hash } = done;
  memory.audit(caller, operation, { path, ...change.audited(planned), capsule_sha256: hash });
  return withNotices({ ok: true, path, ...change.told(done) }, planned.notices);
}

/** Writes the capsule of a subject under its lock. */
export async function writePlanned<Planned extends PlannedWrite>(
  memory: MemoryContext,
  change: Writing<Planned>,
): Promise<Written<Planned>> {
  const { caller, subject, operation } = change;
  const now = memory.clock.now();
  return await writeSubject(memory, operation, caller.ownerId, subject, async (tx) => {
    const planned = await change.plan(tx, now);
    const canonical = requireFitting(planned.capsule);
    const hash = sha256(canonical);
    const written = await writeCapsule(memory, tx, {
      ownerId: caller.ownerId,
      subject,
      operation,
      capsule: planned.capsule,
      canonical,
      sha256: hash,
      now,
      peerId: peerIdOf(caller),
      commitMessage: change.commitMessage,
      reason: change.reason,
      replaced: planned.replaced,
    });
    return { planned, written, sha256: hash };
  });
}

/** What a write would have done. */
export function rehearsalOf(
  path: string,
  plan: {
    readonly capsule: Capsule;
    readonly before: Capsule | undefined;
    readonly changes: boolean;
    readonly sha256: string;
    readonly normalizations: readonly string[];
    readonly recoveryWarnings: readonly string[];
  },
): object {
  return {
    ok: true,
    path,
    dry_run: true,
    would_change: plan.changes,
    changed_fields: changedFields(plan.before, plan.capsule),
    capsule_sha256: plan.sha256,
    normalizations_applied: plan.normalizations,
    warnings: [],
    recovery_warnings: plan.recoveryWarnings,
  };
}
