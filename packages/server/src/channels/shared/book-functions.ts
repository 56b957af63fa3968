import * as limits from '@parley/protocol/channels/limits';
import { RedisLibrary } from '../../platform/redis/library.ts';

const SHARED = `
local ADDRESSES, INDEX, STONES, SLOT, HOLDERS = ':addresses', ':index', ':stones', ':slot:', ':holders'
local NAMES = { 'channels', 'asleep', 'participants', 'events', 'bytes' }
local totals

local function held(address)
  redis.call('ZREMRANGEBYSCORE', totals .. SLOT .. address, '-inf', now)
  return redis.call('ZCARD', totals .. SLOT .. address)
end

local function free(id, address)
  redis.call('HDEL', totals .. HOLDERS, id)
  redis.call('ZREM', totals .. SLOT .. address, id)
  if held(address) == 0 then redis.call('ZREM', totals .. ADDRESSES, address) end
end

local function known()
  local all = redis.call('HMGET', totals, unpack(NAMES))
  for i = 1, #NAMES do all[i] = tonumber(all[i] or nil) or 0 end
  all[6] = redis.call('ZCARD', totals .. ADDRESSES)
  return all
end
`;

/** Above each: its arguments. */
const BODIES = {
  /** address: answers how many live channels it has, and the totals. */
  look: `return { held(ARGV[2]), known() }`,
  /**
   * Address, id, until when at most, how many it may have or -1: takes a slot for a channel that is about to be, and remembers whose it
   * is. Answers how many the address has where that is too many, else -1, and the totals.
   */
  take: `
    local most, has = tonumber(ARGV[5]), held(ARGV[2])
    if most >= 0 and has >= most then return { has, known() } end
    local slots = totals .. SLOT .. ARGV[2]
    redis.call('ZADD', slots, ARGV[4], ARGV[3])
    redis.call('PEXPIREAT', slots, math.max(tonumber(ARGV[4]), redis.call('TIME')[1] * 1000 + 60000))
    redis.call('ZADD', totals .. ADDRESSES, ARGV[4], ARGV[2])
    redis.call('ZADD', totals .. INDEX, now, ARGV[3])
    redis.call('HSET', totals .. HOLDERS, ARGV[3], ARGV[2])
    return { -1, known() }
  `,
  /** Changes of the totals, then per channel: id, address whose slot is free, whether it is gone. Answers totals and stones too many. */
  settle: `
    for i = 1, #NAMES do
      if ARGV[i + 1] ~= '0' then redis.call('HINCRBY', totals, NAMES[i], ARGV[i + 1]) end
    end
    local forgotten = {}
    for i = #NAMES + 2, #ARGV, 3 do
      local id, address = ARGV[i], ARGV[i + 1]
      if address ~= '' then free(id, address) end
      if ARGV[i + 2] == '1' then
        redis.call('ZREM', totals .. INDEX, id)
        if redis.call('RPUSH', totals .. STONES, id) > ${limits.EVICTION_MEMORY_CHANNELS} then
          forgotten[#forgotten + 1] = redis.call('LPOP', totals .. STONES)
        end
      end
    end
    redis.call('ZREMRANGEBYSCORE', totals .. ADDRESSES, '-inf', now)
    return { known(), forgotten }
  `,
  /** Since when it has to be known, ids: forgets those that were never made, or ended without a word, and frees their slots. */
  forget: `
    for i = 3, #ARGV do
      local since = redis.call('ZSCORE', totals .. INDEX, ARGV[i])
      if since and tonumber(since) < tonumber(ARGV[2]) then
        redis.call('ZREM', totals .. INDEX, ARGV[i])
        local address = redis.call('HGET', totals .. HOLDERS, ARGV[i])
        if address then free(ARGV[i], address) end
      end
    end
    return 1
  `,
  /** Milliseconds between sweeps: whose turn it is to sweep. One node does it for all. */
  turn: `
    local last = tonumber(redis.call('GET', totals .. ':swept') or nil)
    if last and now - last < tonumber(ARGV[2]) then return 0 end
    redis.call('SET', totals .. ':swept', string.format('%.0f', now), 'PX', 86400000)
    return 1
  `,
  /**
   * Puts the totals right, unless they changed since they were looked at: five before, five that were counted. What a node has done and
   * not yet told looks the same as what one that died never told: only the sweep that finds the difference of the sweep before believes it.
   */
  correct: `
    local all, doubt, difference = known(), totals .. ':doubt', {}
    for i = 1, #NAMES do
      if all[i] ~= tonumber(ARGV[i + 1]) then return 0 end
      difference[i] = string.format('%.0f', tonumber(ARGV[i + 6]) - all[i])
    end
    difference = table.concat(difference, ' ')
    if redis.call('GET', doubt) ~= difference then
      redis.call('SET', doubt, difference, 'PX', 86400000)
      return 0
    end
    for i = 1, #NAMES do redis.call('HSET', totals, NAMES[i], ARGV[i + 6]) end
    return 1
  `,
} as const;

export type BookFunction = keyof typeof BODIES;

/** Each step on the books of all channels. */
export const BOOK = new RedisLibrary<BookFunction>({
  name: 'channel_book',
  shared: SHARED,
  each: 'totals = KEYS[1]',
  functions: BODIES,
  // The sweep needs them, which ends channels.
  freeing: ['look', 'settle', 'forget', 'turn'],
});
