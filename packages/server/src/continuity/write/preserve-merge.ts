import type { Capsule, ContinuityState, ThreadDescriptor } from '@parley/protocol/continuity/capsule';
import { isObject } from '@parley/protocol/continuity/preserve-nulls';
import type { SnapshotField } from '../capsule/snapshot.ts';

/*
 * What a caller meant by each field is read from the request as it was sent, because after the schema an absent list and
 * an empty one look alike.
 *
 *   required lists      []: keep              other: take
 *   optional lists      absent: keep          null, []: empty   other: take
 *   objects             absent: keep          null: remove      other: take
 *   thread_descriptor   absent: keep          null: remove      other: take, its lists as optional lists
 */

type Raw = Readonly<Record<string, unknown>>;

const REQUIRED_LISTS = [
  'top_priorities',
  'active_concerns',
  'active_constraints',
  'open_loops',
  'drift_signals',
] as const;
const OPTIONAL_LISTS = [
  'working_hypotheses',
  'long_horizon_commitments',
  'session_trajectory',
  'negative_decisions',
  'trailing_notes',
  'curiosity_queue',
  'rationale_entries',
] as const;
const STATE_OBJECTS = ['relationship_model', 'retrieval_hints'] as const;
const TOP_LISTS = ['canonical_sources', 'stable_preferences', 'metadata'] as const;
const TOP_OBJECTS = ['attention_policy', 'freshness'] as const;
const DESCRIPTOR_LISTS = ['keywords', 'scope_anchors', 'identity_anchors'] as const;

/** The incoming capsule with what it left out taken from the stored one. `raw` is the capsule as it was sent. */
export function preserveMerge(
  incoming: Capsule,
  raw: unknown,
  stored: Capsule,
  fromSnapshot: ReadonlySet<SnapshotField>,
): Capsule {
  const sent: Raw = isObject(raw) ? raw : {};
  const merged: Capsule = {
    ...incoming,
    continuity: mergeState(incoming.continuity, sent.continuity, stored.continuity, fromSnapshot),
  };
  for (const name of TOP_LISTS) if (!Object.hasOwn(sent, name)) take(merged, stored, name);
  for (const name of TOP_OBJECTS) if (!Object.hasOwn(sent, name)) take(merged, stored, name);
  if (!Object.hasOwn(sent, 'thread_descriptor')) take(merged, stored, 'thread_descriptor');
  else if (merged.thread_descriptor && stored.thread_descriptor) {
    merged.thread_descriptor = mergeDescriptor(
      merged.thread_descriptor,
      sent.thread_descriptor,
      stored.thread_descriptor,
    );
  }
  return merged;
}

function mergeState(
  incoming: ContinuityState,
  raw: unknown,
  stored: ContinuityState,
  fromSnapshot: ReadonlySet<SnapshotField>,
): ContinuityState {
  const sent: Raw = isObject(raw) ? raw : {};
  const given: ReadonlySet<string> = fromSnapshot;
  const merged = { ...incoming };
  for (const name of REQUIRED_LISTS) {
    if (merged[name].length === 0 && !given.has(name)) merged[name] = stored[name];
  }
  for (const name of OPTIONAL_LISTS) {
    if (!Object.hasOwn(sent, name) && !given.has(name)) take(merged, stored, name);
  }
  for (const name of STATE_OBJECTS) if (!Object.hasOwn(sent, name)) take(merged, stored, name);
  if (!Object.hasOwn(sent, 'related_documents')) take(merged, stored, 'related_documents');
  else if (sent.related_documents === null) merged.related_documents = [];
  return merged;
}

function mergeDescriptor(
  incoming: ThreadDescriptor,
  raw: unknown,
  stored: ThreadDescriptor,
): ThreadDescriptor {
  const sent: Raw = isObject(raw) ? raw : {};
  const merged = { ...incoming };
  for (const name of DESCRIPTOR_LISTS) if (!Object.hasOwn(sent, name)) take(merged, stored, name);
  return merged;
}

function take<T extends object>(into: T, from: T, key: keyof T): void {
  if (from[key] === undefined) Reflect.deleteProperty(into, key);
  else into[key] = from[key];
}
