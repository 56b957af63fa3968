export interface Seeded {
  /** A whole number from 0 to `most - 1`. */
  below(most: number): number;
  pick<T>(from: readonly T[]): T;
}

/** The same numbers on every run, so that a failure can be looked at. */
export function seeded(seed: number): Seeded {
  let state = seed;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  return {
    below,
    pick: (from) => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new RangeError('nothing to pick from');
      return picked;
    },
  };
}
