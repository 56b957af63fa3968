import type { RefreshPlanRequest, RetentionPlanRequest } from '@parley/protocol/continuity/requests';
import type { Caller } from '../../wire/caller.ts';
import { writerOf, requireWrite } from '../access.ts';
import { readSummary } from '../artifacts/artifact.ts';
import { ACTIVE, ARCHIVED, FALLBACK } from '../artifacts/artifact-table.ts';
import type { MemoryOperation } from '../call.ts';
import { canonicalJson, sha256 } from '../capsule/canonical.ts';
import { compareChars } from '../../platform/chars.ts';
import { archivesStaleBefore, type MemoryContext, writeSubject } from '../memory-context.ts';
import { canonicalTime, fullInstant } from '../capsule/instant.ts';
import * as paths from '../artifacts/paths.ts';
import * as store from './plan-store.ts';
import { readableOnly } from '../list/readable-paths.ts';
import { recordChange } from '../artifacts/record-change.ts';
import { PLAN } from '../artifacts/revision-store.ts';
import { DAY } from '../../platform/units.ts';

const STALE_MS = 30 * DAY;
const RECENT_MS = 7 * DAY;

/** Which capsules someone should look at again, and why. */
export const refreshPlan: MemoryOperation<RefreshPlanRequest> = async (memory, { caller, body }) => {
  requireWrite(caller, paths.REFRESH_STATE_PATH);
  const now = memory.clock.now();
  const rows = await store.refreshRows(memory.database.read, {
    ownerId: caller.ownerId,
    kind: body.subject_kind ?? undefined,
    includeHealthy: body.include_healthy,
    staleBefore: now - STALE_MS,
    only: { active: readableOnly(caller, ACTIVE), fallback: readableOnly(caller, FALLBACK) },
    limit: body.limit,
  });
  const candidates = rows.map((row) => candidateOf(row, now));
  const generatedAt = fullInstant(now);
  const commit = await keepPlan(memory, caller, 'refresh', now, {
    schema_version: '1.0',
    last_planned_at: generatedAt,
    last_run_at: null,
    last_run_count: 0,
    entries: candidates,
  });
  memory.audit(caller, 'refresh_plan', { count: candidates.length });
  return {
    ok: true,
    count: candidates.length,
    generated_at: generatedAt,
    candidates,
    durable: true,
    latest_commit: commit,
    warnings: [],
  };
};

function candidateOf(row: store.RefreshRow, now: number): object {
  const summary = readSummary(row.summary);
  const codes = [
    ...(row.health_rank > 0 ? [`health_${summary.health_status}`] : []),
    ...(row.attestation < 2 ? [`verification_${summary.verification_status}`] : []),
    ...(row.stale === 1 ? ['stale_verified_at'] : []),
    ...(row.read_at !== null && now - row.read_at <= RECENT_MS ? ['recently_used'] : []),
    ...(row.state === FALLBACK ? ['fallback_only'] : []),
  ];
  return {
    subject_kind: row.kind,
    subject_id: summary.subject_id,
    path: paths.activePath(row),
    health_status: summary.health_status,
    verification_status: summary.verification_status,
    last_revalidated_at: summary.last_revalidated_at,
    updated_at: canonicalTime(summary.updated_at),
    reason_codes: codes,
    recommended_priority: PRIORITIES[row.urgency],
  };
}

/** By urgency. */
const PRIORITIES = ['high', 'medium', 'low'];

/** Which archives may be packed away. */
export const retentionPlan: MemoryOperation<RetentionPlanRequest> = async (memory, { caller, body }) => {
  requireWrite(caller, paths.RETENTION_STATE_PATH);
  const now = memory.clock.now();
  const reader = memory.database.read;
  const filter = {
    ownerId: caller.ownerId,
    kind: body.subject_kind ?? undefined,
    archivedBefore: archivesStaleBefore(memory, now),
    only: readableOnly(caller, ARCHIVED),
  };
  const { rows, total } = await store.retentionPage(reader, filter, body.limit);
  const troubles = await store.retentionTroubles(reader, filter);
  const candidates = rows.map((row) => retentionCandidate(row, now));
  const warnings = [
    ...troubles.filter(({ half_cold: half }) => half === 1).map((row) => `${PARTIAL}:${archiveOf(row)}`),
    ...troubles.filter(({ readable }) => readable === 0).map((row) => `${SKIPPED}:${archiveOf(row)}`),
  ].toSorted(compareChars);
  const generatedAt = fullInstant(now);
  const summary = {
    generated_at: generatedAt,
    path: paths.RETENTION_STATE_PATH,
    count: candidates.length,
    total_candidates: total,
    has_more: total > candidates.length,
    warnings,
    candidates,
  };
  const commit = await keepPlan(memory, caller, 'retention', now, {
    schema_type: 'continuity_retention_plan',
    schema_version: '1.0',
    filters: { subject_kind: body.subject_kind ?? null, limit: body.limit },
    ...summary,
  });
  memory.audit(caller, 'retention_plan', { count: candidates.length });
  return {
    ok: true,
    count: candidates.length,
    generated_at: generatedAt,
    path: paths.RETENTION_STATE_PATH,
    durable: true,
    latest_commit: commit,
    warnings,
    candidates,
    total_candidates: total,
    has_more: summary.has_more,
  };
};

const PARTIAL = 'continuity_retention_partial_cold_conflict';
const SKIPPED = 'continuity_retention_skipped_invalid_archive';

const archiveOf = (row: Pick<store.RetentionRow, 'kind' | 'slug' | 'stamp'>): string =>
  paths.archivePath(row, row.stamp);

function retentionCandidate(row: store.RetentionRow, now: number): object {
  const summary = readSummary(row.summary);
  const path = archiveOf(row);
  return {
    subject_kind: row.kind,
    subject_id: summary.subject_id,
    source_archive_path: path,
    artifact_state: 'archived',
    retention_class: 'archive_stale',
    policy_action: 'cold_store',
    archived_at: summary.archived_at ?? null,
    age_days: Math.floor((now - (row.archived_ms ?? now)) / DAY),
    cold_storage_path: paths.coldPayloadPath(path),
    cold_stub_path: paths.coldStubPath(path),
    reason_codes: ['archive_stale'],
  };
}

/** A plan is kept like any other document: as a revision of its own. */
async function keepPlan(
  memory: MemoryContext,
  caller: Caller,
  plan: 'refresh' | 'retention',
  now: number,
  state: object,
): Promise<string> {
  const document = canonicalJson(state);
  const kept = { kind: PLAN, slug: `${plan}_state` };
  const recorded = await writeSubject(memory, `${plan}_plan`, caller.ownerId, kept, (tx) =>
    recordChange(memory, tx, {
      ...kept,
      ...writerOf(caller),
      subjectId: undefined,
      operation: `${plan}_plan`,
      path: plan === 'refresh' ? paths.REFRESH_STATE_PATH : paths.RETENTION_STATE_PATH,
      now,
      commitMessage: `continuity: ${plan} plan`,
      sha256: sha256(document),
      document,
    }),
  );
  return recorded.commit;
}
