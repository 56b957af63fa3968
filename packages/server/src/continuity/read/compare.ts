import type { Capsule } from '@parley/protocol/continuity/capsule';
import { CAPSULE_FIELDS, type Fields } from '@parley/protocol/continuity/capsule-fields';
import type { VerificationSignal } from '@parley/protocol/continuity/requests';
import type { Outcome, VerificationKind, VerificationStatus } from '@parley/protocol/continuity/vocabulary';
import { isObject } from '@parley/protocol/json';
import { compareChars } from '../../platform/chars.ts';
import { canonicalTime } from '../capsule/instant.ts';
import { withoutLifecycle } from '../capsule/lifecycle.ts';
import { sameJson } from '../capsule/same-json.ts';

/** Differences are told in the order of the fields, with the subject first and what is stable last. */
const FIRST = ['subject_kind', 'subject_id'];
const LAST = ['stable_preferences'];
const TOP: Fields = Object.fromEntries(
  [
    ...FIRST,
    ...Object.keys(CAPSULE_FIELDS).filter((name) => !FIRST.includes(name) && !LAST.includes(name)),
    ...LAST,
  ].map((name) => [name, CAPSULE_FIELDS[name as keyof typeof CAPSULE_FIELDS]]),
);

export interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What an author changed. Verification, health, and every date and state that is ours are not compared. */
export function changesBetween(before: Capsule | undefined, after: Capsule): Difference[] {
  const changes: Difference[] = [];
  collect('', TOP, before ? authored(before) : {}, authored(after), changes);
  return changes;
}

export const changedFields = (before: Capsule | undefined, after: Capsule): string[] =>
  changesBetween(before, after).map(({ path }) => path);

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

function collect(path: string, fields: Fields, before: object, after: object, changes: Difference[]): void {
  const left = new Map(Object.entries(before));
  const right = new Map(Object.entries(after));
  for (const key of keysInOrder(fields, new Set([...left.keys(), ...right.keys()]))) {
    const [a, b] = [left.get(key), right.get(key)];
    if (sameJson(a ?? null, b ?? null)) continue;
    const inner = path === '' ? key : `${path}.${key}`;
    if (isObject(a) && isObject(b)) collect(inner, fields[key]?.fields ?? {}, a, b, changes);
    else changes.push({ path: inner, before: a, after: b });
  }
}

/** Keys that are no fields, as those of metadata, come after, by name. */
function keysInOrder(fields: Fields, keys: ReadonlySet<string>): string[] {
  const others = [...keys].filter((key) => !Object.hasOwn(fields, key)).toSorted(compareChars);
  return [...Object.keys(fields).filter((key) => keys.has(key)), ...others];
}

/** What each kind of evidence makes of a capsule, from the weakest to the strongest. */
const STATUS: Readonly<Record<VerificationKind, VerificationStatus>> = {
  self_review: 'self_attested',
  external_observation: 'externally_supported',
  peer_confirmation: 'peer_confirmed',
  user_confirmation: 'user_confirmed',
  system_check: 'system_confirmed',
};

const BY_STRENGTH = Object.keys(STATUS);
export const strengthOf = (kind: VerificationKind): number => BY_STRENGTH.indexOf(kind);
export const statusBy = (kind: VerificationKind): VerificationStatus => STATUS[kind];

/** The first of the strongest. */
export function strongestSignal(signals: readonly VerificationSignal[]): VerificationKind {
  return signals
    .map(({ kind }) => kind)
    .reduce((best, kind) => (strengthOf(kind) > strengthOf(best) ? kind : best));
}

export function recommendedOutcome(changed: boolean, strongest: VerificationKind): Outcome {
  if (!changed) return 'confirm';
  return strongest === 'self_review' ? 'conflict' : 'correct';
}
