import * as limits from '@parley/protocol/channels/limits';
import type { ChannelSettings } from '../settings.ts';
import { HASH_LENGTH } from './replies.ts';

/** A node that has not renewed for this long has nobody waiting any more: it is gone, or stands still. */
const LEASE_MS = 15_000;

/** What the name of a wait begins with. */
export const POLL = 'p';
export const STREAM = 's';

/**
 * A channel as it lies in Redis: one hash and what hangs on it, all in the slot of the channel's id.
 *
 *   key            | holds
 *   ---------------+-----------------------------------------------------------------------------------------
 *   base           | the channel; once gone only the tombstone
 *     token        | its hash
 *     core         | state, times, size and length, until when anybody waits, packed: what almost every call reads and writes
 *     slot         | whose address it counts for
 *     notes, comers| how many events are no messages; how many ever came
 *     m:member     | a line each: id (its hash), name and fingerprint as JSON, both skeletons, number by order of coming
 *     s:member     | last seen
 *     w:member@node| until when somebody waits there, unless renewed
 *     h:member     | their polls and streams at all nodes, oldest first: node, name and until when, unless renewed
 *   base:l         | the events, as they go over the wire
 *   base:q         | per member and client id: index and time of the send; base:o their order
 *   base:e         | what changed, told to the nodes where somebody waits
 *
 * One hash, so that a send reads all it needs at once and writes all that changed at once. Nodes of the version before pack the core as
 * they know it: what a channel has to remember besides becomes a field of its own.
 */
export const RECORD = `
local QUOTE = ${'"'.charCodeAt(0)}
local MEMBER, SEEN, WAITING, HELD, LOG, SENDS, ORDER, NEWS = 'm:', 's:', 'w:', 'h:', ':l', ':q', ':o', ':e'
local CHANNELS, ASLEEP, PARTICIPANTS, EVENTS, BYTES, SENT, HIBERNATIONS, RESUMES, EVICTED, SLOT, FATE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
-- Mostly those of the call before, so they are read when they change.
local settings, LIFETIME, IDLE, HIBERNATE, NOTICE, MOST_EVENTS, MOST_BYTES, MOST_MEMBERS
-- Of one call.
local base, time, channel, account, news, present, touched, just_seen

local function whole(number) return string.format('%.0f', number) end

local function open()
  base, time, channel, account, news, present, touched, just_seen = KEYS[1], whole(now), nil, nil, nil, nil, false, nil
  if ARGV[2] == settings then return end
  settings = ARGV[2]
  local numbers = {}
  for number in string.gmatch(settings, '%S+') do numbers[#numbers + 1] = tonumber(number) end
  LIFETIME, IDLE, HIBERNATE, NOTICE, MOST_EVENTS, MOST_BYTES, MOST_MEMBERS = unpack(numbers)
end

-- Token and id, as hashes, and the handle.
local function credentials(word)
  return string.sub(word, 1, ${HASH_LENGTH}), string.sub(word, ${HASH_LENGTH + 1}, ${2 * HASH_LENGTH}), string.sub(word, ${2 * HASH_LENGTH + 1})
end

local function enter(what, value)
  account = account or { 0, 0, 0, 0, 0, 0, 0, 0, '', '', '' }
  account[what] = value
end

local function count(what, change) enter(what, (account and account[what] or 0) + change) end

-- With the member of that handle, if there is one.
local function load(handle)
  local f = redis.call('HMGET', base, 'token', 'core', MEMBER .. (handle or ''))
  if not f[2] then return nil end
  local state, created, active, bytes, length, waits, slept, at, reason = cmsgpack.unpack(f[2])
  channel = {
    token = f[1], member = f[3], state = state, created = created, active = active, bytes = bytes, length = length, waits = waits,
  }
  if state ~= 'awake' then channel.slept, channel.at, channel.reason = slept, at, reason end
  return channel
end

local function packed()
  local c = channel
  if c.state == 'awake' then return cmsgpack.pack(c.state, c.created, c.active, c.bytes, c.length, c.waits) end
  return cmsgpack.pack(c.state, c.created, c.active, c.bytes, c.length, c.waits, c.slept or 0, c.at or 0, c.reason or '')
end

-- Nothing outlives the channel, even when no node is left to end it.
local function keep(key)
  redis.call('PEXPIRE', key, whole(math.max(1000, LIFETIME + HIBERNATE + NOTICE + 60000 - (now - channel.created))))
end

local function save()
  if not touched then return end
  if just_seen then redis.call('HSET', base, 'core', packed(), SEEN .. just_seen, time)
  else redis.call('HSET', base, 'core', packed()) end
  touched, just_seen = false, nil
end

local function touch() channel.active = now; touched = true end

local function seen(handle)
  touch()
  just_seen, present = handle, nil
end

local MEMBER_LINES = '^[^\\n]*\\n([^\\n]*)\\n([^\\n]*)\\n([^\\n]*)\\n([^\\n]*)\\n([^\\n]*)'

-- Who is here, by order of coming, when they were seen and who of them waits.
local function everybody()
  if present then return present end
  save()
  present = { members = {}, seen = {}, waiting = {} }
  local all = redis.call('HGETALL', base)
  for i = 1, #all, 2 do
    local kind, whose, value = string.sub(all[i], 1, 2), string.sub(all[i], 3), all[i + 1]
    if kind == MEMBER then
      local name, key_fp, letters, shapes, order = string.match(value, MEMBER_LINES)
      local member = { handle = whose, name = name, key_fp = key_fp, letters = letters, shapes = shapes, order = tonumber(order) }
      present.members[#present.members + 1] = member
    elseif kind == SEEN then present.seen[whose] = tonumber(value)
    elseif kind == WAITING then
      if tonumber(value) > now then present.waiting[string.match(whose, '^[^@]*')] = true
      else redis.call('HDEL', base, all[i]) end
    end
  end
  table.sort(present.members, function(a, b) return a.order < b.order end)
  return present
end

local function anybody_waits()
  return channel.waits > now and next(everybody().waiting) ~= nil
end

local function wait(handle, node)
  channel.waits, touched, present = now + ${LEASE_MS}, true, nil
  redis.call('HSET', base, WAITING .. handle .. '@' .. node, whole(channel.waits))
end

local function held(handle)
  local known, open = redis.call('HGET', base, HELD .. handle), {}
  for _, one in ipairs(known and cmsgpack.unpack(known) or {}) do
    if one[3] > now then open[#open + 1] = one end
  end
  return open
end

local function keep_held(handle, open)
  if #open == 0 then redis.call('HDEL', base, HELD .. handle)
  else redis.call('HSET', base, HELD .. handle, cmsgpack.pack(open)) end
end

-- One more poll or stream of a member: the oldest of its kind goes where there are too many, at whichever node.
local function hold(handle, node, id)
  local kept, kind, same, oldest = {}, string.sub(id, 1, 1), 0, nil
  for _, one in ipairs(held(handle)) do
    if one[1] ~= node or one[2] ~= id then
      kept[#kept + 1] = one
      if string.sub(one[2], 1, 1) == kind then
        oldest, same = oldest or #kept, same + 1
      end
    end
  end
  if same >= ${limits.MAX_PARKED_POLLS} then
    local before, channel_id = string.match(base, '^(.*)channel:{(.*)}$')
    local over = table.remove(kept, oldest)
    redis.call('PUBLISH', before .. 'displaced:' .. over[1], channel_id .. '\\n' .. over[2])
  end
  kept[#kept + 1] = { node, id, now + ${LEASE_MS} }
  keep_held(handle, kept)
end

local function renew_held(handle, node)
  local open = held(handle)
  for _, one in ipairs(open) do
    if one[1] == node then one[3] = now + ${LEASE_MS} end
  end
  keep_held(handle, open)
end

-- The one of that name, or all at that node.
local function let_go(handle, node, id)
  local kept = {}
  for _, one in ipairs(held(handle)) do
    if one[1] ~= node or (id and one[2] ~= id) then kept[#kept + 1] = one end
  end
  keep_held(handle, kept)
end

local function roster()
  local here, shown = everybody(), {}
  for i, m in ipairs(here.members) do
    local ago = 0
    if not here.waiting[m.handle] then ago = math.floor((now - (here.seen[m.handle] or now)) / 1000) end
    shown[i] = '{"name":' .. m.name .. ',"key_fp":' .. m.key_fp .. ',"last_seen_s":' .. whole(ago) .. '}'
  end
  return '[' .. table.concat(shown, ',') .. ']'
end

local function tell()
  if not news then return end
  if anybody_waits() then
    local shown = roster()
    for _, message in ipairs(news) do
      if message.left then redis.call('PUBLISH', base .. NEWS, 'left\\n' .. message.index .. '\\n' .. message.left)
      else redis.call('PUBLISH', base .. NEWS, 'event\\n' .. message.index .. '\\n' .. shown .. '\\n' .. message.event) end
    end
  end
  news = nil
end

local function tell_later(message)
  news = news or {}
  news[#news + 1] = message
end

-- Put together at once: Redis pays for every string on the way.
local function append(head, text)
  local index, event = channel.length
  if text then event = '{' .. head .. ',"index":' .. index .. ',"timestamp":' .. time .. ',"text":' .. text .. '}'
  else event = '{' .. head .. ',"index":' .. index .. ',"timestamp":' .. time .. '}' end
  if redis.call('RPUSH', base .. LOG, event) == 1 then keep(base .. LOG) end
  channel.length = index + 1
  touched = true
  -- Who begins to wait in this call reads it.
  if channel.waits > now then tell_later({ index = index, event = event }) end
  return index
end

local function append_note(head)
  redis.call('HINCRBY', base, 'notes', 1)
  count(EVENTS, 1)
  return append(head)
end

-- At most so many events or about so many bytes, at least one event.
local function page(since)
  local events, bytes, at = {}, 0, since
  while at < channel.length and #events < ${limits.MAX_PAGE_EVENTS} do
    local some = redis.call('LRANGE', base .. LOG, at, at + math.min(31, ${limits.MAX_PAGE_EVENTS} - 1 - #events))
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

/** What the functions are told of the settings, in one word: nodes may be set differently. */
export const settingsWord = (settings: ChannelSettings): string =>
  [
    settings.lifetimeMs,
    settings.idleMs,
    settings.hibernateMs,
    settings.noticeMs,
    settings.maxEvents,
    settings.maxBytes,
    settings.maxParticipants,
  ].join(' ');
