import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Caller } from '../../wire/caller.ts';
import type { Reader } from '../../platform/database/database.ts';
import { peerIdOf } from '../access.ts';
import type { DocumentRow } from '../artifacts/artifact-store.ts';
import { sha256 } from '../capsule/canonical.ts';
import { type MemoryContext, writeSubject } from '../memory-context.ts';
import { changedFields } from '../read/compare.ts';
import type { Operation } from '../artifacts/revision-store.ts';
import { requireFitting } from '../rules/rules.ts';
import type { Subject } from '../capsule/subject.ts';
import type { RecordedChange } from '../artifacts/record-change.ts';
import { writeCapsule } from './write-capsule.ts';

export interface PlannedWrite {
  readonly capsule: Capsule;
  /** What stands there now. */
  readonly replaced: DocumentRow | undefined;
}

/** What is to become of a stored capsule. */
export interface PlannedChange extends PlannedWrite {
  readonly before: Capsule;
  readonly replaced: DocumentRow;
  readonly normalizations: readonly string[];
}

export interface Writing<Planned extends PlannedWrite> {
  readonly caller: Caller;
  readonly subject: Subject;
  readonly operation: Operation;
  readonly commitMessage: string;
  readonly reason?: string | undefined;
  /** Looks at what is stored and says what it should be; may run more than once. */
  readonly plan: (reader: Reader, now: number) => Promise<Planned>;
}

export interface Written<Planned extends PlannedWrite> {
  readonly kind: 'written';
  readonly planned: Planned;
  readonly written: RecordedChange;
  readonly sha256: string;
}

export interface InPlace<Planned extends PlannedChange> extends Writing<Planned> {
  readonly path: string;
  readonly dryRun: boolean;
}

type Changed<Planned extends PlannedChange> =
  | { readonly kind: 'rehearsed'; readonly planned: Planned; readonly answer: object }
  | Written<Planned>;

/** Changes the stored capsule of a subject under its lock, or only says what would change. */
export async function changeInPlace<Planned extends PlannedChange>(
  memory: MemoryContext,
  change: InPlace<Planned>,
): Promise<Changed<Planned>> {
  if (!change.dryRun) return await writePlanned(memory, change);
  const planned = await change.plan(memory.database.read, memory.clock.now());
  const hash = sha256(requireFitting(planned.capsule));
  const changes = hash !== planned.replaced.sha256;
  const answer = rehearsalOf(change.path, { ...planned, sha256: hash, changes, recoveryWarnings: [] });
  return { kind: 'rehearsed', planned, answer };
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
    return { kind: 'written', planned, written, sha256: hash };
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
