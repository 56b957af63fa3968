import type { Limiter, Standing } from './limiter.ts';

/** Two limits on the same thing. What one of them refuses is counted by neither. */
export function bothLimits(first: Limiter, second: Limiter): Limiter {
  const peek = async (key: string, cost?: number) => {
    const verdict = await first.peek(key, cost);
    return verdict.ok ? await second.peek(key, cost) : verdict;
  };
  return {
    peek,
    async take(key, cost) {
      const verdict = await peek(key, cost);
      if (!verdict.ok) return verdict;
      // Others may have taken the room meanwhile.
      const taken = await second.take(key, cost);
      return taken.ok ? await first.take(key, cost) : taken;
    },
    async standing(key) {
      const one = await first.standing?.(key);
      const other = await second.standing?.(key);
      return one && other ? nearer(one, other) : (one ?? other);
    },
  };
}

const nearer = (one: Standing, other: Standing): Standing => (other.remaining < one.remaining ? other : one);
