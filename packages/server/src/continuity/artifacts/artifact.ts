import type { Capsule, ThreadDescriptor } from '@parley/protocol/continuity/capsule';
import type { Lifecycle } from '@parley/protocol/continuity/vocabulary';
import type { ArtifactFacts } from './artifact-table.ts';
import { AGELESS, ageingOf } from '../read/freshness.ts';
import { instantOrUndefined } from '../capsule/instant.ts';
import { healthRank, lifecycleRank, NO_LIFECYCLE, verificationRank } from '../list/salience.ts';
import { resumeAdequate } from '../capsule/orientation.ts';

export interface SummaryExtras {
  readonly lostLifecycle?: Lifecycle | undefined;
  readonly archivedAt?: string | undefined;
}

export function factsOf(capsule: Capsule, sha256: string, extras: SummaryExtras = {}): ArtifactFacts {
  const updated = instantOrUndefined(capsule.updated_at);
  const descriptor = capsule.thread_descriptor;
  const ageing = ageingOf(capsule);
  // Written out: on the way of every write, spreading takes longer than all the rest.
  return {
    verified_ms: ageing.verified_ms,
    stale_seconds: ageing.stale_seconds,
    expires_ms: ageing.expires_ms,
    subject_id: columnText(capsule.subject_id),
    readable: 1,
    sha256,
    updated_key: updated?.key ?? null,
    summary: JSON.stringify(summaryOf(capsule, extras)),
    lifecycle_rank: lifecycleRank(descriptor?.lifecycle),
    health_rank: healthRank(capsule.capsule_health?.status ?? 'healthy'),
    resume_adequate: Number(resumeAdequate(capsule)),
    verification_rank: verificationRank(capsule),
    attestation: attestationOf(capsule),
    updated_ms: updated?.ceilMs ?? null,
    label: descriptor ? columnText(descriptor.label) : null,
    terms: descriptor ? JSON.stringify(termsOf(descriptor)) : '[]',
  };
}

function attestationOf({ verification_state: state }: Capsule): number {
  const status = state?.status ?? 'unverified';
  if (status === 'unverified') return 0;
  return status === 'self_attested' ? 1 : 2;
}

/** For what cannot be read: it is there, and no list shows it. */
export function unreadableFacts(subjectId: string): ArtifactFacts {
  return {
    ...AGELESS,
    subject_id: subjectId,
    readable: 0,
    sha256: null,
    updated_key: null,
    summary: null,
    lifecycle_rank: NO_LIFECYCLE,
    health_rank: 0,
    resume_adequate: 0,
    verification_rank: 0,
    attestation: 0,
    updated_ms: null,
    label: null,
    terms: '[]',
  };
}

/** As `factsOf` wrote it. */
export const readSummary = (text: string | null): Summary => JSON.parse(text ?? '{}') as Summary;

/** What lists tell of a capsule without reading it. */
export type Summary = ReturnType<typeof summaryOf>;

function summaryOf(capsule: Capsule, { lostLifecycle, archivedAt }: SummaryExtras) {
  return {
    subject_id: capsule.subject_id,
    updated_at: capsule.updated_at,
    verified_at: capsule.verified_at,
    verification_kind: capsule.verification_kind ?? null,
    freshness_class: capsule.freshness?.freshness_class ?? null,
    verification_status: capsule.verification_state?.status ?? 'unverified',
    health_status: capsule.capsule_health?.status ?? 'healthy',
    health_reasons: capsule.capsule_health?.reasons ?? [],
    last_revalidated_at: capsule.verification_state?.last_revalidated_at ?? null,
    stable_preference_count: capsule.stable_preferences.length,
    rationale_entry_count: capsule.continuity.rationale_entries.length,
    thread_descriptor: capsule.thread_descriptor ?? null,
    resume_adequate: resumeAdequate(capsule),
    /** The state a thread was in when it lost its descriptor. */
    lost_lifecycle: lostLifecycle,
    /** Of an archive. */
    archived_at: archivedAt,
  };
}

/** The words a descriptor is found by. A kind of anchor has no colon in it, so kind and value stay apart. */
export const keywordTerm = (word: string): string => columnText(`k:${word}`);
export const scopeTerm = (anchor: string): string => columnText(`s:${anchor}`);
export const anchorTerm = (kind: string, value: string): string => columnText(`a:${kind}:${value}`);
export const anchorKindTerm = (kind: string): string => columnText(`n:${kind}`);
export const anchorValueTerm = (value: string): string => columnText(`v:${value}`);

function termsOf({ keywords, scope_anchors: scopes, identity_anchors: anchors }: ThreadDescriptor): string[] {
  const terms = new Set<string>();
  for (const word of keywords) terms.add(keywordTerm(word));
  for (const anchor of scopes) terms.add(scopeTerm(anchor));
  for (const { kind, value } of anchors) {
    terms.add(anchorTerm(kind, value)).add(anchorKindTerm(kind)).add(anchorValueTerm(value));
  }
  return [...terms].toSorted();
}

/** PostgreSQL keeps no NUL in a text; what is shown comes from JSON, where it is escaped. */
export const columnText = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\u2400') : text;
