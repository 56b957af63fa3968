import * as limits from '@parley/protocol/channels/limits';
import type { ChannelSettings } from '../settings.ts';

/** A node that has not renewed for this long has nobody waiting any more: it is gone, or stands still. */
export const LEASE_MS = 15_000;

/**
 * What every script of a channel begins with: the states of `channel.ts` and their changes, as one hash and what hangs on it, all
 * in the slot of the channel's id. The suites of channels run on both stores, so that the two stay one.
 *
 *   key     | holds
 *   --------+------------------------------------------------------------------------------------------------
 *   base    | token (its hash), state, times, length and size; once gone only the tombstone
 *   base:m  | per member: id (its hash), name and fingerprint as JSON, both skeletons, number by order of coming
 *   base:s  | per member: last seen
 *   base:w  | per member and node: until when somebody waits there, unless renewed
 *   base:l  | the events, as they go over the wire
 *   base:q  | per member and client id: index and time of the send; base:o their order
 *   base:e  | what changed, told to the nodes where somebody waits
 *
 * A script answers with a code, its account (what the totals of all channels change by) and what was asked for.
 */
export const prelude = (settings: ChannelSettings): string => `
local base = KEYS[1]
local MEMBERS, SEEN, WAITING, LOG = base .. ':m', base .. ':s', base .. ':w', base .. ':l'
local SENDS, ORDER, NEWS = base .. ':q', base .. ':o', base .. ':e'
local LIFETIME, IDLE, HIBERNATE, NOTICE = ${settings.lifetimeMs}, ${settings.idleMs}, ${settings.hibernateMs}, ${settings.noticeMs}
local account = { 0, 0, 0, 0, 0, 0, 0, 0, '', '', '' }
local CHANNELS, ASLEEP, PARTICIPANTS, EVENTS, BYTES, SENT, HIBERNATIONS, RESUMES, EVICTED, SLOT, FATE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
local channel
local news = {}
local waiters
local touched = false

local function count(what, change) account[what] = account[what] + change end
local function whole(number) return string.format('%.0f', number) end

local function load()
  local f = redis.call('HMGET', base, 'token', 'state', 'created', 'active', 'bytes', 'length', 'slot', 'reason', 'at', 'slept', 'comers')
  if not f[1] then return nil end
  channel = {
    token = f[1], state = f[2], created = tonumber(f[3]), active = tonumber(f[4]), bytes = tonumber(f[5]),
    length = tonumber(f[6]), slot = f[7], reason = f[8], at = tonumber(f[9] or nil), slept = tonumber(f[10] or nil),
    comers = tonumber(f[11] or nil) or 0,
  }
  return channel
end

-- Nothing outlives the channel, even when no node is left to end it.
local function keep(key)
  redis.call('PEXPIRE', key, whole(math.max(1000, LIFETIME + HIBERNATE + NOTICE + 60000 - (now - channel.created))))
end

local function waiting()
  if waiters then return waiters end
  waiters = {}
  local all = redis.call('HGETALL', WAITING)
  for i = 1, #all, 2 do
    if tonumber(all[i + 1]) > now then waiters[string.match(all[i], '^[^@]*')] = true end
  end
  return waiters
end

local function members()
  local list = {}
  local all = redis.call('HGETALL', MEMBERS)
  for i = 1, #all, 2 do
    local m = cjson.decode(all[i + 1])
    list[#list + 1] = { handle = all[i], id = m[1], name = m[2], key_fp = m[3], letters = m[4], shapes = m[5], order = m[6] }
  end
  table.sort(list, function(a, b) return a.order < b.order end)
  return list
end

local function roster()
  local seen = {}
  local all = redis.call('HGETALL', SEEN)
  for i = 1, #all, 2 do seen[all[i]] = tonumber(all[i + 1]) end
  local shown = {}
  for i, m in ipairs(members()) do
    local ago = 0
    if not waiting()[m.handle] then ago = math.floor((now - (seen[m.handle] or now)) / 1000) end
    shown[i] = '{"name":' .. m.name .. ',"key_fp":' .. m.key_fp .. ',"last_seen_s":' .. whole(ago) .. '}'
  end
  return '[' .. table.concat(shown, ',') .. ']'
end

local function tell()
  if #news == 0 then return end
  if next(waiting()) then
    local present = roster()
    for _, message in ipairs(news) do
      if message.left then redis.call('PUBLISH', NEWS, 'left\\n' .. message.index .. '\\n' .. message.left)
      else redis.call('PUBLISH', NEWS, 'event\\n' .. message.index .. '\\n' .. present .. '\\n' .. message.event) end
    end
  end
  news = {}
end

local function save()
  if not touched then return end
  redis.call('HSET', base, 'active', whole(channel.active), 'bytes', whole(channel.bytes), 'length', whole(channel.length))
  touched = false
end

local function touch() channel.active = now; touched = true end

local function append(head, text, bytes)
  local index = channel.length
  local event = '{' .. head .. ',"index":' .. whole(index) .. ',"timestamp":' .. whole(now)
  if text then event = event .. ',"text":' .. text end
  event = event .. '}'
  if redis.call('RPUSH', LOG, event) == 1 then keep(LOG) end
  channel.length = index + 1
  count(EVENTS, 1)
  if text then
    channel.bytes = channel.bytes + bytes
    count(BYTES, bytes)
    count(SENT, 1)
    redis.call('HINCRBY', base, 'messages', 1)
  end
  touched = true
  news[#news + 1] = { index = whole(index), event = event }
  return index
end

local function drop()
  count(PARTICIPANTS, -redis.call('HLEN', MEMBERS))
  count(EVENTS, -channel.length)
  count(BYTES, -channel.bytes)
  if channel.slot and channel.slot ~= '' then account[SLOT] = channel.slot end
  redis.call('DEL', MEMBERS, SEEN, WAITING, LOG, SENDS, ORDER)
  redis.call('HDEL', base, 'messages')
  channel.bytes, channel.length, channel.slot, waiters = 0, 0, '', {}
end

local function bury(reason)
  tell()
  local at = channel.state == 'closing' and channel.at or now
  redis.call('PUBLISH', NEWS, 'ended\\n' .. reason .. '\\n' .. whole(math.floor((now - at) / 1000)))
  if channel.state == 'asleep' then count(ASLEEP, -1) end
  if channel.state ~= 'closing' then account[EVICTED] = reason end
  count(CHANNELS, -1)
  drop()
  account[FATE] = 'gone'
  redis.call('DEL', base)
  redis.call('HSET', base, 'token', channel.token, 'state', 'gone', 'reason', reason, 'at', whole(at))
  redis.call('PEXPIRE', base, ${limits.EVICTION_MEMORY_MS})
  channel.state, channel.reason, channel.at, touched = 'gone', reason, at, false
end

-- A sleeping channel has nobody to tell.
local function evict(reason)
  if NOTICE == 0 or channel.state == 'asleep' or reason == 'evicted_empty' then return bury(reason) end
  append('"type":"system","reason":"' .. reason .. '"')
  channel.state, channel.reason, channel.at = 'closing', reason, now
  account[EVICTED], account[FATE] = reason, 'closing'
  redis.call('HSET', base, 'state', 'closing', 'reason', reason, 'at', whole(now))
end

-- Since it was due, whenever that is noticed.
local function sleep()
  drop()
  channel.state, channel.slept = 'asleep', channel.active + IDLE
  redis.call('HSET', base, 'state', 'asleep', 'slept', whole(channel.slept), 'slot', '')
  redis.call('PUBLISH', NEWS, 'slept')
  count(ASLEEP, 1)
  count(HIBERNATIONS, 1)
  touched = true
end

local function overdue()
  if channel.state == 'closing' then return now - channel.at >= NOTICE and 'end' or nil end
  if now - channel.created >= LIFETIME then return 'evicted_max_lifetime' end
  if channel.state == 'asleep' then return now - channel.slept >= HIBERNATE and 'evicted_hibernate_expired' or nil end
  if now - channel.active < IDLE or next(waiting()) then return nil end
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
  if channel then save() end
  return { code, account, ... }
end

local function gone()
  if channel.state == 'gone' and now - channel.at >= ${limits.EVICTION_MEMORY_MS} then return answer('unknown') end
  return answer('gone', channel.reason, whole(math.max(0, math.floor((now - channel.at) / 1000))))
end

-- What is wrong with id and token, if anything.
local function refusal(token)
  if not load() then return answer('unknown') end
  expire()
  if channel.token ~= token then return answer('unknown') end
  if channel.state == 'gone' then return gone() end
end

-- The same for those who change something.
local function refusal_awake(token)
  local wrong = refusal(token)
  if wrong then return wrong end
  if channel.state == 'asleep' then return answer('asleep') end
  if channel.state == 'closing' then return gone() end
end

local function member(handle, id)
  local known = handle ~= '' and redis.call('HGET', MEMBERS, handle)
  if not known then return nil end
  local m = cjson.decode(known)
  return m[1] == id and m or nil
end

local function seen(handle) redis.call('HSET', SEEN, handle, whole(now)) end

local function remove(handle, name)
  redis.call('HDEL', MEMBERS, handle)
  redis.call('HDEL', SEEN, handle)
  count(PARTICIPANTS, -1)
  local index = append('"type":"leave","from":' .. name)
  news[#news + 1] = { left = handle, index = whole(index) }
end

-- At most so many events or about so many bytes, at least one event.
local function page(since)
  local events, bytes, at = {}, 0, since
  while at < channel.length and #events < ${limits.MAX_PAGE_EVENTS} do
    local some = redis.call('LRANGE', LOG, at, at + math.min(31, ${limits.MAX_PAGE_EVENTS} - 1 - #events))
    if #some == 0 then return events end
    for _, event in ipairs(some) do
      bytes = bytes + #event
      if bytes > ${limits.MAX_PAGE_BYTES} and #events > 0 then return events end
      events[#events + 1] = event
    end
    at = at + #some
  end
  return events
end
`;
