import * as limits from '@parley/protocol/channels/limits';

/**
 * The states of `channel.ts` and their changes, over a channel as it lies in Redis. The suites of channels run on both stores, so that
 * the two stay one.
 *
 * A function answers with a code, its account (what the totals of all channels change by; 0 for nothing) and what was asked for.
 */
export const STATES = `
local function drop()
  local members = everybody().members
  count(PARTICIPANTS, -#members)
  count(EVENTS, -channel.length)
  count(BYTES, -channel.bytes)
  enter(SLOT, redis.call('HGET', base, 'slot') or '')
  for _, m in ipairs(members) do redis.call('HDEL', base, MEMBER .. m.handle, SEEN .. m.handle, HELD .. m.handle) end
  redis.call('HDEL', base, 'notes')
  redis.call('DEL', base .. LOG, base .. SENDS, base .. ORDER)
  channel.bytes, channel.length, channel.member, channel.waits, present = 0, 0, false, 0, nil
end

local function bury(reason)
  tell()
  local at = channel.state == 'closing' and channel.at or now
  redis.call('PUBLISH', base .. NEWS, 'ended\\n' .. reason .. '\\n' .. whole(math.floor((now - at) / 1000)))
  if channel.state == 'asleep' then count(ASLEEP, -1) end
  if channel.state ~= 'closing' then enter(EVICTED, reason) end
  count(CHANNELS, -1)
  drop()
  enter(FATE, 'gone')
  channel.state, channel.reason, channel.at, touched = 'gone', reason, at, false
  redis.call('DEL', base)
  redis.call('HSET', base, 'token', channel.token, 'core', packed())
  redis.call('PEXPIRE', base, ${limits.EVICTION_MEMORY_MS})
end

-- A sleeping channel has nobody to tell.
local function evict(reason)
  if NOTICE == 0 or channel.state == 'asleep' or reason == 'evicted_empty' then return bury(reason) end
  append_note('"type":"system","reason":"' .. reason .. '"')
  channel.state, channel.reason, channel.at, touched = 'closing', reason, now, true
  enter(EVICTED, reason)
  enter(FATE, 'closing')
end

-- Since it was due, whenever that is noticed.
local function sleep()
  drop()
  channel.state, channel.slept = 'asleep', channel.active + IDLE
  redis.call('HSET', base, 'slot', '')
  redis.call('PUBLISH', base .. NEWS, 'slept')
  count(ASLEEP, 1)
  count(HIBERNATIONS, 1)
  touched = true
end

local function overdue()
  if channel.state == 'closing' then return now - channel.at >= NOTICE and 'end' or nil end
  if now - channel.created >= LIFETIME then return 'evicted_max_lifetime' end
  if channel.state == 'asleep' then return now - channel.slept >= HIBERNATE and 'evicted_hibernate_expired' or nil end
  if now - channel.active < IDLE or anybody_waits() then return nil end
  return HIBERNATE > 0 and 'sleep' or 'evicted_idle'
end

local function expire()
  if channel.state == 'gone' then return end
  local change = overdue()
  if not change then return end
  if change == 'sleep' then sleep()
  elseif change == 'end' then bury(channel.reason)
  else evict(change) end
end

local function answer(code, ...)
  tell()
  save()
  return { code, account or 0, ... }
end

local function gone()
  if channel.state == 'gone' and now - channel.at >= ${limits.EVICTION_MEMORY_MS} then return answer('unknown') end
  return answer('gone', channel.reason, whole(math.max(0, math.floor((now - channel.at) / 1000))))
end

-- What is wrong with id and token, if anything.
local function refusal(token, handle)
  if not load(handle) then return answer('unknown') end
  expire()
  if channel.token ~= token then return answer('unknown') end
  if channel.state == 'gone' then return gone() end
end

-- The same for those who change something.
local function refusal_awake(token, handle)
  local wrong = refusal(token, handle)
  if wrong then return wrong end
  if channel.state == 'asleep' then return answer('asleep') end
  if channel.state == 'closing' then return gone() end
end

-- The name of the member that was loaded, if this is their id.
local function named(id)
  if not channel.member then return nil end
  local theirs, name = string.match(channel.member, '^([^\\n]*)\\n([^\\n]*)')
  return theirs == id and name or nil
end

local function remove(handle, name)
  redis.call('HDEL', base, MEMBER .. handle, SEEN .. handle, HELD .. handle)
  count(PARTICIPANTS, -1)
  present = nil
  local index = append_note('"type":"leave","from":' .. name)
  tell_later({ left = handle, index = index })
end
`;
