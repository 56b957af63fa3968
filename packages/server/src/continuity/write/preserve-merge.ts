import type { Capsule, ContinuityState } from '@parley/protocol/continuity/capsule';
import {
  CAPSULE_FIELDS,
  DESCRIPTOR_FIELDS,
  type Fields,
  STATE_FIELDS,
} from '@parley/protocol/continuity/capsule-fields';
import { isObject } from '@parley/protocol/json';

/*
 * What a caller meant by each field is read from the request as it was sent, because after the schema an absent list and
 * an empty one look alike. Which field is of which sort stands in the table of fields.
 *
 *   required lists      []: keep              other: take
 *   optional lists      absent: keep          null, []: empty   other: take
 *   objects             absent: keep          null: remove      other: take
 *   thread_descriptor   absent: keep          null: remove      other: take, its lists as optional lists
 */

/**
 * The incoming capsule with what it left out taken from the stored one. `raw` is the capsule as it was sent, `ended` what its
 * session ended on.
 */
export function preserveMerge(
  incoming: Capsule,
  raw: unknown,
  stored: Capsule,
  ended: Partial<ContinuityState>,
): Capsule {
  const sent = isObject(raw) ? raw : {};
  const state = isObject(sent.continuity) ? sent.continuity : {};
  const merged = merge(CAPSULE_FIELDS, incoming, sent, stored);
  merged.continuity = merge(STATE_FIELDS, incoming.continuity, state, stored.continuity, ended);
  if (state.related_documents === null) merged.continuity.related_documents = [];
  if (isObject(sent.thread_descriptor) && incoming.thread_descriptor && stored.thread_descriptor) {
    merged.thread_descriptor = merge(
      DESCRIPTOR_FIELDS,
      incoming.thread_descriptor,
      sent.thread_descriptor,
      stored.thread_descriptor,
    );
  }
  return merged;
}

/** What is `given` came by another way than the capsule sent, and stays. */
function merge<T extends object>(
  fields: Fields,
  incoming: T,
  sent: object,
  stored: T,
  given: object = {},
): T {
  const merged = { ...incoming };
  for (const [name, { kept }] of Object.entries(fields)) {
    if (!kept || Object.hasOwn(given, name)) continue;
    // The table names the fields of `T`.
    const key = name as keyof T;
    const isKept = kept === 'if empty' ? isEmpty(incoming[key]) : !Object.hasOwn(sent, name);
    if (!isKept) continue;
    if (stored[key] === undefined) Reflect.deleteProperty(merged, key);
    else merged[key] = stored[key];
  }
  return merged;
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
