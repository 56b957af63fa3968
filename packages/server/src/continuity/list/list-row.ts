import { readSummary } from '../artifacts/artifact.ts';
import { ACTIVE, ARCHIVED, type ArtifactFacts, COLD, FALLBACK, STATES } from '../artifacts/artifact-table.ts';
import { parseStub } from '../retention/cold-stub.ts';
import { phaseAt, phaseRank } from '../read/freshness.ts';
import { canonicalTime } from '../capsule/instant.ts';
import type { ListedRow } from './list-store.ts';
import { activePath, archivePath, coldPayloadPath, coldStubPath, fallbackPath } from '../artifacts/paths.ts';
import { type SortKey, UNKNOWN_AGE } from './salience.ts';

export interface RowContext {
  readonly now: number;
  /** Archived before this: stale. */
  readonly archivesStaleBefore: number;
}

export const pathOf = (row: Pick<ListedRow, 'state' | 'kind' | 'slug' | 'stamp'>): string => {
  if (row.state === ACTIVE) return activePath(row);
  if (row.state === FALLBACK) return fallbackPath(row);
  const archive = archivePath(row, row.stamp);
  return row.state === ARCHIVED ? archive : coldStubPath(archive);
};

/** What a list tells of one artifact: its orientation, never its contents. */
export function listRow(row: ListedRow, context: RowContext): object {
  if (row.state === COLD) return coldRow(row);
  const summary = readSummary(row.summary);
  const state = STATES[row.state];
  const archived = row.state === ARCHIVED;
  return {
    subject_kind: row.kind,
    subject_id: summary.subject_id,
    path: archived ? activePath(row) : pathOf(row),
    updated_at: canonicalTime(summary.updated_at),
    verified_at: canonicalTime(summary.verified_at),
    verification_kind: summary.verification_kind,
    freshness_class: summary.freshness_class,
    phase: phaseAt(row, context.now),
    verification_status: summary.verification_status,
    health_status: summary.health_status,
    health_reasons: summary.health_reasons,
    artifact_state: state,
    retention_class: archived ? archiveClass(row, context) : state,
    stable_preference_count: summary.stable_preference_count,
    rationale_entry_count: summary.rationale_entry_count,
    thread_descriptor: summary.thread_descriptor,
    resume_adequate: summary.resume_adequate,
    ...(archived && {
      archive_path: archivePath(row, row.stamp),
      archived_at: summary.archived_at ?? null,
    }),
    ...(summary.verification_kind && summary.last_revalidated_at === null && { verification_claimed: true }),
  };
}

const archiveClass = ({ archived_ms: at }: ListedRow, { archivesStaleBefore }: RowContext) =>
  at !== null && at < archivesStaleBefore ? 'archive_stale' : 'archive_recent';

/** Frozen when the archive went cold: nothing is unpacked for a list. */
function coldRow(row: ListedRow): object {
  const archive = archivePath(row, row.stamp);
  const stub = parseStub(row.stub ?? '');
  const value = (key: string): string | null =>
    typeof stub === 'string' ? null : (stub.get(key) ?? null) || null;
  return {
    subject_kind: row.kind,
    subject_id: value('subject_id'),
    path: coldStubPath(archive),
    updated_at: null,
    verified_at: null,
    verification_kind: value('verification_kind'),
    freshness_class: value('freshness_class'),
    phase: value('phase'),
    verification_status: value('verification_status'),
    health_status: value('health_status'),
    health_reasons: [],
    artifact_state: 'cold',
    retention_class: 'cold',
    stable_preference_count: null,
    rationale_entry_count: null,
    thread_descriptor: null,
    source_archive_path: archive,
    cold_stub_path: coldStubPath(archive),
    cold_storage_path: coldPayloadPath(archive),
    archived_at: value('archived_at'),
    cold_stored_at: value('cold_stored_at'),
  };
}

export function rowSortKey(row: ArtifactFacts | ListedRow, now: number): SortKey {
  const updated = row.updated_ms;
  return {
    lifecycle_rank: row.lifecycle_rank,
    health_rank: row.health_rank,
    freshness_rank: phaseRank(phaseAt(row, now)),
    resume_adequate: row.resume_adequate === 1,
    verification_rank: row.verification_rank,
    updated_age_seconds: updated === null ? UNKNOWN_AGE : Math.max(0, Math.floor((now - updated) / 1000)),
  };
}
