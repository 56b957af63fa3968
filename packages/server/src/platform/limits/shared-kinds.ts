import type { Clock } from '../clock.ts';
import type { SharedKind } from './shared-limits.ts';
import { SlidingWindow, type SlidingWindowRule, windowStanding, windowVerdict } from './sliding-window.ts';
import { bucketVerdict, perMs, TokenBucket, type TokenBucketRule } from './token-bucket.ts';

export function sharedBucket(clock: Clock, rule: TokenBucketRule): SharedKind {
  return {
    counted: 'bucket',
    rule: [rule.capacity, perMs(rule)],
    verdict: (reply, cost) => bucketVerdict(Number(reply), cost, perMs(rule)),
    among: (nodes) =>
      new TokenBucket(clock, {
        ...rule,
        refill: (rule.refill ?? rule.capacity) / nodes,
        capacity: share(rule.capacity, nodes),
      }),
  };
}

export function sharedWindow(clock: Clock, rule: SlidingWindowRule): SharedKind {
  return {
    counted: 'window',
    rule: [rule.limit, rule.windowMs],
    verdict: (reply) => {
      const [, full, room] = reply as [number, number, number];
      return windowVerdict(full === 1, room);
    },
    standing: (reply) => {
      const [count, , , moreAfterMs] = reply as [number, number, number, number];
      return windowStanding(rule.limit, count, moreAfterMs);
    },
    among: (nodes) => new SlidingWindow(clock, { ...rule, limit: share(rule.limit, nodes) }),
  };
}

/** What is allowed at all is allowed once at each node: nobody is shut out by a Redis that is away. */
const share = (limit: number, nodes: number): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor(limit / nodes));
