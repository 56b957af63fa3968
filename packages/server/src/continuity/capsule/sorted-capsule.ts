import type {
  Capsule,
  ContinuityState,
  NegativeDecision,
  RationaleEntry,
  RelatedDocument,
  StablePreference,
  ThreadDescriptor,
} from '@parley/protocol/continuity/capsule';
import { compareChars } from '../../platform/chars.ts';

/*
 * The capsule with the keys of every object in order, so that the runtime's own JSON writer yields the canonical form.
 * Written out by hand because this is on the way of every write: sorting keys at run time takes ten times as long.
 * What is absent stays undefined, which JSON leaves out.
 */

/** Confidence and metadata stand here as JSON would write them; what that gets wrong is for the writer to put right. */
export const sortedCapsule = (capsule: Capsule) => ({
  attention_policy: capsule.attention_policy && {
    early_load: capsule.attention_policy.early_load,
    presence_bias_overrides: capsule.attention_policy.presence_bias_overrides,
  },
  canonical_sources: capsule.canonical_sources,
  capsule_health: capsule.capsule_health && {
    last_checked_at: capsule.capsule_health.last_checked_at,
    reasons: capsule.capsule_health.reasons,
    status: capsule.capsule_health.status,
  },
  confidence: {
    continuity: capsule.confidence.continuity,
    relationship_model: capsule.confidence.relationship_model,
  },
  continuity: sortedState(capsule.continuity),
  freshness: capsule.freshness && {
    expires_at: capsule.freshness.expires_at,
    freshness_class: capsule.freshness.freshness_class,
    stale_after_seconds: capsule.freshness.stale_after_seconds,
  },
  metadata: sortedMetadata(capsule.metadata),
  schema_version: capsule.schema_version,
  source: {
    inputs: capsule.source.inputs,
    producer: capsule.source.producer,
    update_reason: capsule.source.update_reason,
  },
  stable_preferences: capsule.stable_preferences.map(sortedPreference),
  subject_id: capsule.subject_id,
  subject_kind: capsule.subject_kind,
  thread_descriptor: capsule.thread_descriptor && sortedDescriptor(capsule.thread_descriptor),
  updated_at: capsule.updated_at,
  verification_kind: capsule.verification_kind,
  verification_state: capsule.verification_state && {
    conflict_summary: capsule.verification_state.conflict_summary,
    evidence_refs: capsule.verification_state.evidence_refs,
    last_revalidated_at: capsule.verification_state.last_revalidated_at,
    status: capsule.verification_state.status,
    strongest_signal: capsule.verification_state.strongest_signal,
  },
  verified_at: capsule.verified_at,
});

/** In order but for keys that look like numbers, which an object always has first. */
const sortedMetadata = (metadata: Capsule['metadata']): Capsule['metadata'] =>
  Object.fromEntries(Object.entries(metadata).toSorted(([a], [b]) => compareChars(a, b)));

const sortedState = (state: ContinuityState): object => ({
  active_concerns: state.active_concerns,
  active_constraints: state.active_constraints,
  curiosity_queue: state.curiosity_queue,
  drift_signals: state.drift_signals,
  long_horizon_commitments: state.long_horizon_commitments,
  negative_decisions: state.negative_decisions.map(sortedDecision),
  open_loops: state.open_loops,
  rationale_entries: state.rationale_entries.map(sortedRationale),
  related_documents: state.related_documents?.map(sortedDocument),
  relationship_model: state.relationship_model && {
    preferred_style: state.relationship_model.preferred_style,
    sensitivity_notes: state.relationship_model.sensitivity_notes,
    trust_level: state.relationship_model.trust_level,
  },
  retrieval_hints: state.retrieval_hints && {
    avoid: state.retrieval_hints.avoid,
    load_next: state.retrieval_hints.load_next,
    must_include: state.retrieval_hints.must_include,
  },
  session_trajectory: state.session_trajectory,
  stance_summary: state.stance_summary,
  top_priorities: state.top_priorities,
  trailing_notes: state.trailing_notes,
  working_hypotheses: state.working_hypotheses,
});

const sortedDecision = (entry: NegativeDecision): object => ({
  created_at: entry.created_at,
  decision: entry.decision,
  last_confirmed_at: entry.last_confirmed_at,
  rationale: entry.rationale,
  updated_at: entry.updated_at,
});

const sortedRationale = (entry: RationaleEntry): object => ({
  alternatives_considered: entry.alternatives_considered,
  created_at: entry.created_at,
  depends_on: entry.depends_on,
  kind: entry.kind,
  last_confirmed_at: entry.last_confirmed_at,
  reasoning: entry.reasoning,
  status: entry.status,
  summary: entry.summary,
  supersedes: entry.supersedes,
  tag: entry.tag,
  updated_at: entry.updated_at,
});

const sortedPreference = (entry: StablePreference): object => ({
  content: entry.content,
  created_at: entry.created_at,
  last_confirmed_at: entry.last_confirmed_at,
  tag: entry.tag,
  updated_at: entry.updated_at,
});

const sortedDocument = ({ kind, label, path, relevance }: RelatedDocument): object => ({
  kind,
  label,
  path,
  relevance,
});

const sortedDescriptor = (descriptor: ThreadDescriptor): object => ({
  identity_anchors: descriptor.identity_anchors.map(({ kind, value }) => ({ kind, value })),
  keywords: descriptor.keywords,
  label: descriptor.label,
  lifecycle: descriptor.lifecycle,
  scope_anchors: descriptor.scope_anchors,
  superseded_by: descriptor.superseded_by,
});
