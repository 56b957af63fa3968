import type { Clock } from '../clock.ts';
import { RedisScript } from '../redis/script.ts';
import type { SharedKind } from './shared-limits.ts';
import { SlidingWindow, type SlidingWindowRule, windowStanding, windowVerdict } from './sliding-window.ts';
import { bucketVerdict, perMs, ROUNDING, TokenBucket, type TokenBucketRule } from './token-bucket.ts';

/** Answers the tokens that were there; spends when asked to and there are enough. Forgotten when full again. */
const BUCKET = new RedisScript(`
local mode, cost = ARGV[2], tonumber(ARGV[3])
local capacity, per_ms = tonumber(ARGV[4]), tonumber(ARGV[5])
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = capacity
if known[1] then
  tokens = math.min(capacity, tonumber(known[1]) + math.max(0, now - tonumber(known[2])) * per_ms)
end
if mode == 'take' and tokens + ${ROUNDING} >= cost then
  redis.call('HSET', KEYS[1], 'tokens', string.format('%.17g', tokens - cost), 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - tokens + cost) / per_ms) + 1000)
end
return string.format('%.17g', tokens)
`);

/** Answers how many units are in the window, how long until there is room for \`cost\` more, and until the oldest leaves. */
const WINDOW = new RedisScript(`
local mode, cost = ARGV[2], tonumber(ARGV[3])
local limit, window = tonumber(ARGV[4]), tonumber(ARGV[5])
local oldest = tonumber(redis.call('LINDEX', KEYS[1], 0) or nil)
while oldest and oldest <= now - window do
  redis.call('LPOP', KEYS[1])
  oldest = tonumber(redis.call('LINDEX', KEYS[1], 0) or nil)
end
local count = redis.call('LLEN', KEYS[1])
local excess = count + cost - limit
local room = 0
if excess > 0 then
  local last = tonumber(redis.call('LINDEX', KEYS[1], math.min(excess, count) - 1) or nil)
  if count == 0 then last = now end
  room = last + window - now
elseif mode == 'take' and cost > 0 then
  local time = string.format('%.0f', now)
  for unit = 1, cost do redis.call('RPUSH', KEYS[1], time) end
  redis.call('PEXPIRE', KEYS[1], window + 1000)
end
return { count, excess > 0 and 1 or 0, room, oldest and oldest + window - now or 0 }
`);

export function sharedBucket(clock: Clock, rule: TokenBucketRule): SharedKind {
  return {
    script: BUCKET,
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
    script: WINDOW,
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
