import { DAY } from '../units.ts';
import { RedisLibrary } from '../redis/library.ts';
import { ROUNDING } from './token-bucket.ts';

/** Longer than a stream is open. */
const SLOTS_KEPT_MS = DAY;

/** How limits are counted in Redis. */
export const LIMITS = new RedisLibrary({
  name: 'limits',
  functions: {
    /** mode, cost, capacity, tokens per ms: answers the tokens that were there; spends when asked to and there are enough. Forgotten when full again. */
    bucket: `
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
    `,
    /** mode, cost, limit, window: answers how many units are in the window, how long until there is room for \`cost\` more, and until the oldest leaves. */
    window: `
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
    `,
    /** node, what it would hold, the limit, the other nodes that count: noted unless all together would hold too many. */
    take_slot: `
      local held = tonumber(ARGV[3])
      for i = 5, #ARGV do held = held + tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or 0) end
      if held > tonumber(ARGV[4]) then return 0 end
      redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
      redis.call('PEXPIRE', KEYS[1], ${SLOTS_KEPT_MS})
      return 1
    `,
    /** node, what it holds now */
    note_slots: `
      if ARGV[3] == '0' then redis.call('HDEL', KEYS[1], ARGV[2])
      else
        redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
        redis.call('PEXPIRE', KEYS[1], ${SLOTS_KEPT_MS})
      end
      return 1
    `,
  },
  freeing: ['note_slots'],
});
