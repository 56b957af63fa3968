import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { VerificationSignal } from '@parley/protocol/continuity/requests';
import type { Outcome, VerificationKind, VerificationStatus } from '@parley/protocol/continuity/vocabulary';
import { isObject } from '@parley/protocol/continuity/preserve-nulls';
import { compareChars } from '../../platform/chars.ts';
import { canonicalTime } from '../capsule/instant.ts';
import { withoutLifecycle } from '../capsule/lifecycle.ts';
import { sameJson } from '../capsule/same-json.ts';

/** In which order differences are told; keys without a place come after, by name. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  '': [
    'subject_kind',
    'subject_id',
    'schema_version',
    'updated_at',
    'source',
    'continuity',
    'confidence',
    'attention_policy',
    'freshness',
    'canonical_sources',
    'metadata',
    'thread_descriptor',
    'stable_preferences',
  ],
  source: ['producer', 'update_reason', 'inputs'],
  continuity: [
    'top_priorities',
    'active_concerns',
    'active_constraints',
    'open_loops',
    'stance_summary',
    'drift_signals',
    'working_hypotheses',
    'long_horizon_commitments',
    'session_trajectory',
    'negative_decisions',
    'trailing_notes',
    'curiosity_queue',
    'rationale_entries',
    'related_documents',
    'relationship_model',
    'retrieval_hints',
  ],
  'continuity.relationship_model': ['trust_level', 'preferred_style', 'sensitivity_notes'],
  'continuity.retrieval_hints': ['must_include', 'avoid', 'load_next'],
  confidence: ['continuity', 'relationship_model'],
  attention_policy: ['early_load', 'presence_bias_overrides'],
  freshness: ['freshness_class', 'expires_at', 'stale_after_seconds'],
  thread_descriptor: ['label', 'keywords', 'scope_anchors', 'identity_anchors'],
};

export interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What an author changed. Verification, health, and every date and state that is ours are not compared. */
export function changesBetween(before: Capsule, after: Capsule): Change[] {
  const changes: Change[] = [];
  collect('', authored(before), authored(after), changes);
  return changes;
}

export const changedFields = (before: Capsule, after: Capsule): string[] =>
  changesBetween(before, after).map(({ path }) => path);

/** For a capsule where there was none. */
export function changedFromNothing(after: Capsule): string[] {
  const changes: Change[] = [];
  collect('', {}, authored(after), changes);
  return changes.map(({ path }) => path);
}

function authored(capsule: Capsule): object {
  const { continuity } = capsule;
  const {
    verified_at: _verifiedAt,
    verification_kind: _kind,
    verification_state: _state,
    capsule_health: _health,
    ...rest
  } = capsule;
  return {
    ...rest,
    // What is loaded has the one spelling, what is sent any: the same instant is no change.
    updated_at: canonicalTime(capsule.updated_at),
    continuity: {
      ...continuity,
      negative_decisions: continuity.negative_decisions.map(withoutDates),
      rationale_entries: continuity.rationale_entries.map(withoutDates),
    },
    stable_preferences: capsule.stable_preferences.map(withoutDates),
    ...(capsule.thread_descriptor && { thread_descriptor: withoutLifecycle(capsule.thread_descriptor) }),
  };
}

function withoutDates(entry: { created_at?: unknown; updated_at?: unknown }): object {
  const { created_at: _created, updated_at: _updated, ...rest } = entry;
  return rest;
}

function collect(path: string, before: object, after: object, changes: Change[]): void {
  const left = new Map(Object.entries(before));
  const right = new Map(Object.entries(after));
  for (const key of keysInOrder(path, new Set([...left.keys(), ...right.keys()]))) {
    const [a, b] = [left.get(key), right.get(key)];
    if (sameJson(a ?? null, b ?? null)) continue;
    const inner = path === '' ? key : `${path}.${key}`;
    if (isObject(a) && isObject(b)) collect(inner, a, b, changes);
    else changes.push({ path: inner, before: a, after: b });
  }
}

function keysInOrder(path: string, keys: ReadonlySet<string>): string[] {
  const known = ORDER[path] ?? [];
  const others = [...keys].filter((key) => !known.includes(key)).toSorted(compareChars);
  return [...known.filter((key) => keys.has(key)), ...others];
}

/** From the weakest to the strongest kind of evidence. */
const STRENGTH: Readonly<Record<VerificationKind, number>> = {
  self_review: 0,
  external_observation: 1,
  peer_confirmation: 2,
  user_confirmation: 3,
  system_check: 4,
};
const STATUS: Readonly<Record<VerificationKind, VerificationStatus>> = {
  self_review: 'self_attested',
  external_observation: 'externally_supported',
  peer_confirmation: 'peer_confirmed',
  user_confirmation: 'user_confirmed',
  system_check: 'system_confirmed',
};

export const strengthOf = (kind: VerificationKind): number => STRENGTH[kind];
export const statusBy = (kind: VerificationKind): VerificationStatus => STATUS[kind];

/** The first of the strongest. */
export function strongestSignal(signals: readonly VerificationSignal[]): VerificationKind {
  return signals
    .map(({ kind }) => kind)
    .reduce((best, kind) => (STRENGTH[kind] > STRENGTH[best] ? kind : best));
}

export function recommendedOutcome(changed: boolean, strongest: VerificationKind): Outcome {
  if (!changed) return 'confirm';
  return strongest === 'self_review' ? 'conflict' : 'correct';
}
