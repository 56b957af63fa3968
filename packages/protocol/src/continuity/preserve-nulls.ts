/** Lists and maps that a null clears in preserve mode, by where they stand in the capsule. */
const CLEARED_IN_STATE = [
  'working_hypotheses',
  'long_horizon_commitments',
  'session_trajectory',
  'trailing_notes',
  'curiosity_queue',
  'negative_decisions',
  'rationale_entries',
  'related_documents',
] as const;
const CLEARED_IN_CAPSULE = ['canonical_sources', 'stable_preferences', 'metadata'] as const;
const CLEARED_IN_DESCRIPTOR = ['keywords', 'scope_anchors', 'identity_anchors'] as const;

type Loose = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The request without the nulls that mean "clear" there, for the schema; what they clear is read from the raw request. */
export function withoutClearedFields(request: unknown): unknown {
  if (!isObject(request) || request.merge_mode !== 'preserve' || !isObject(request.capsule)) return request;
  const { continuity, thread_descriptor: descriptor } = request.capsule;
  return {
    ...request,
    capsule: {
      ...withoutNulls(request.capsule, CLEARED_IN_CAPSULE),
      ...(isObject(continuity) && { continuity: withoutNulls(continuity, CLEARED_IN_STATE) }),
      ...(isObject(descriptor) && { thread_descriptor: withoutNulls(descriptor, CLEARED_IN_DESCRIPTOR) }),
    },
  };
}

function withoutNulls(object: Loose, keys: readonly string[]): Loose {
  const cleared = keys.filter((key) => object[key] === null);
  if (cleared.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !cleared.includes(key)));
}
