/** Whether two JSON values are the same, whatever the order of keys; a key without a value counts as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item, b[index]));
  }
  const left = definedEntries(a);
  const right = new Map(definedEntries(b));
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key)))
  );
}

/** Of keys that have a value. */
export const definedEntries = (object: object): [string, unknown][] =>
  Object.entries(object).filter(([, value]) => value !== undefined);
