const DEEPEST = 64;

/** Deeper than anything has reason to be: what walks such a value step by step may run out of stack. A loop for that reason. */
export function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
