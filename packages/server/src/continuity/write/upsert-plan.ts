import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { UpsertRequest } from '@parley/protocol/continuity/requests';
import type { Reader } from '../../platform/database/database.ts';
import { headAliasNotices } from '../answers.ts';
import { findActiveHead, type HeadRow } from '../artifacts/artifact-store.ts';
import { canonicalCapsule, fitsCapsule, sha256, TOO_LARGE } from '../capsule/canonical.ts';
import { futureNotices, refuseOlder, refuseSameTime } from '../rules/clock-rule.ts';
import { resetNotices } from '../artifacts/ended-thread.ts';
import { badRequest } from '../../wire/memory/errors.ts';
import { settleLifecycle } from '../capsule/lifecycle.ts';
import { normalise } from '../capsule/normalise.ts';
import { preserveMerge } from './preserve-merge.ts';
import type { RecentCapsules, Remains } from '../artifacts/recent-capsules.ts';
import { requireFitting, requireValid } from '../rules/rules.ts';
import { stamp } from '../capsule/stamp.ts';
import { findActive, findFallback } from '../artifacts/stored-capsule.ts';
import type { CheckedUpsert } from './upsert-request.ts';

/** What an upsert would do to what is stored now. */
export interface UpsertPlan {
  readonly capsule: Capsule;
  readonly canonical: string;
  readonly sha256: string;
  /** False: exactly this is stored already. */
  readonly changes: boolean;
  readonly created: boolean;
  readonly before: Capsule | undefined;
  readonly replaced: HeadRow | undefined;
  readonly normalizations: string[];
  readonly recoveryWarnings: string[];
  readonly notices: string[];
}

/** Evaluates against the store and writes nothing: the same for a write and for a rehearsal of one. */
export async function planUpsert(
  reader: Reader,
  ownerId: string,
  checked: CheckedUpsert,
  body: UpsertRequest,
  now: number,
  recent?: RecentCapsules,
): Promise<UpsertPlan> {
  const { subject, updatedAt } = checked;
  const row = await findActiveHead(reader, ownerId, subject);
  const stored = await usableStored(reader, ownerId, checked, body, row, recent);
  const clock = stored.usable ? row?.updated_key : undefined;
  refuseOlder(updatedAt, clock);
  const merged =
    body.merge_mode === 'preserve' && stored.capsule
      ? preserveMerge(checked.capsule, checked.sent, stored.capsule, checked.ended)
      : checked.capsule;
  const { capsule: clean, applied } = normalise(merged);
  const stamped = stamp(clean, stored.remains, checked.capsule.updated_at);
  // Dates from a capsule that passed the rules break none, so what nothing else was done to has passed them already.
  if (clean !== checked.capsule || !stored.proven) requireValid(stamped, { explain: body.explain });
  const capsule = settled(stamped, stored.remains, body);
  const canonical = requireFitting(capsule);
  const hash = sha256(canonical);
  const same = stored.usable && row?.sha256 === hash;
  if (!same) refuseSameTime(updatedAt, clock);
  return {
    capsule,
    canonical,
    sha256: hash,
    changes: !same,
    created: row === undefined,
    before: stored.capsule,
    replaced: row,
    normalizations: applied,
    recoveryWarnings: stored.warnings,
    notices: [
      ...futureNotices(updatedAt, now),
      ...headAliasNotices(row, subject.id),
      ...resetNotices(capsule, row),
    ],
  };
}

interface Stored {
  /** Whether the stored capsule counts: its clock, its entries, its lifecycle. */
  readonly usable: boolean;
  /** The whole of it, where it was read. */
  readonly capsule: Capsule | undefined;
  readonly remains: Remains | undefined;
  /** Whether this process has held it against the rules; no capsule at all has nothing wrong with it. */
  readonly proven: boolean;
  readonly warnings: string[];
}

async function usableStored(
  reader: Reader,
  ownerId: string,
  { subject }: CheckedUpsert,
  body: UpsertRequest,
  row: HeadRow | undefined,
  recent: RecentCapsules | undefined,
): Promise<Stored> {
  if (!row) return nothingUsable([]);
  const known = recent?.get(row.revision_id);
  if (known && body.merge_mode === 'replace') {
    return { usable: true, capsule: undefined, remains: known, proven: true, warnings: [] };
  }
  const active = row.readable === 1 ? await findActive(reader, ownerId, subject) : undefined;
  if (active?.kind === 'present') {
    const { capsule } = active.loaded;
    return { usable: true, capsule, remains: capsule, proven: known !== undefined, warnings: [] };
  }
  const warnings = ['continuity_active_invalid'];
  if (body.merge_mode === 'replace') return nothingUsable(warnings);
  const fallback = await findFallback(reader, ownerId, subject);
  if (fallback) warnings.push('continuity_fallback_used');
  const { capsule } = fallback ?? {};
  return { usable: false, capsule, remains: capsule, proven: false, warnings };
}

const nothingUsable = (warnings: string[]): Stored => ({
  usable: false,
  capsule: undefined,
  remains: undefined,
  proven: true,
  warnings,
});

/** A capsule that is too large is told so before anything is said of its lifecycle. */
function settled(capsule: Capsule, stored: Remains | undefined, body: UpsertRequest): Capsule {
  try {
    return settleLifecycle(capsule, stored, body.lifecycle_transition, body.superseded_by);
  } catch (error) {
    if (!fitsCapsule(canonicalCapsule(capsule))) throw badRequest(TOO_LARGE);
    throw error;
  }
}
