import * as limits from '@parley/protocol/channels/limits';
import { RedisLibrary } from '../../platform/redis/library.ts';
import { RECORD } from './channel-record.ts';
import { STATES } from './channel-states.ts';

/** Above each: its arguments. */
const BODIES = {
  /** token, address, id taken? */
  create: `
    if redis.call('EXISTS', base) == 1 then return { 'taken', 0 } end
    channel = { state = 'awake', created = now, active = now, bytes = 0, length = 0, waits = 0 }
    redis.call('HSET', base, 'token', ARGV[3], 'core', packed(), 'slot', ARGV[4])
    keep(base)
    count(CHANNELS, 1)
    return answer('ok')
  `,
  /** token, is the name valid, handle and id to resume, new handle and id, name, fingerprint, letters, shapes */
  join: `
    local wrong = refusal(ARGV[3], ARGV[5])
    if wrong then return wrong end
    if channel.state == 'closing' then return gone() end
    if ARGV[4] == '0' then return answer('invalid_name') end
    local resumed = named(ARGV[6])
    local name, key_fp = ARGV[9], ARGV[10]
    local holder
    if not resumed then
      local here = everybody()
      for _, m in ipairs(here.members) do
        if m.letters == ARGV[11] or m.shapes == ARGV[12] then holder = m break end
      end
      local reclaimed = false
      if holder and holder.name == name and key_fp ~= 'null' and holder.key_fp == key_fp and not here.waiting[holder.handle] then
        reclaimed = now - here.seen[holder.handle] >= ${limits.RECLAIM_AFTER_MS}
      end
      if not reclaimed and #here.members >= MOST_MEMBERS then return answer('channel_full') end
      if holder and not reclaimed then return answer('name_taken') end
    end
    if channel.state == 'asleep' then
      channel.state = 'awake'
      count(ASLEEP, -1)
      count(RESUMES, 1)
    end
    if resumed then
      seen(ARGV[5])
      return answer('ok', 1, resumed, roster(), channel.length)
    end
    if holder then remove(holder.handle, holder.name) end
    local order = redis.call('HINCRBY', base, 'comers', 1)
    redis.call('HSET', base, MEMBER .. ARGV[7], table.concat({ ARGV[8], name, key_fp, ARGV[11], ARGV[12], order }, '\\n'))
    seen(ARGV[7])
    count(PARTICIPANTS, 1)
    append_note('"type":"join","from":' .. name)
    return answer('ok', 0, name, roster(), channel.length)
  `,
  /**
   * credentials, the text as JSON or what is wrong with it, client id if there is one. Where it was stored and nothing else happened the
   * answer is its index, and the account is known to who sent it.
   */
  send: `
    local token, id, handle = credentials(ARGV[3])
    local wrong = refusal_awake(token, handle)
    if wrong then return wrong end
    local sender = named(id)
    if not sender then return answer('participant_not_in_channel') end
    local text = ARGV[4]
    if string.byte(text) ~= QUOTE then return answer(text) end
    seen(handle)
    local key = ARGV[5] and handle .. ':' .. ARGV[5]
    if key then
      local oldest = redis.call('LINDEX', base .. ORDER, 0)
      while oldest do
        local sent = redis.call('HGET', base .. SENDS, oldest)
        if sent and now - tonumber(string.match(sent, ' (.*)')) < ${limits.CLIENT_ID_MEMORY_MS} then break end
        redis.call('LPOP', base .. ORDER)
        redis.call('HDEL', base .. SENDS, oldest)
        oldest = redis.call('LINDEX', base .. ORDER, 0)
      end
      local before = redis.call('HGET', base .. SENDS, key)
      if before then return answer('ok', tonumber(string.match(before, '^%d+')), 1) end
    end
    local bytes = #text - 2
    local index = append('"type":"message","from":' .. sender, text)
    channel.bytes = channel.bytes + bytes
    if key then
      redis.call('HSET', base .. SENDS, key, whole(index) .. ' ' .. time)
      if redis.call('RPUSH', base .. ORDER, key) == 1 then keep(base .. SENDS) keep(base .. ORDER) end
    end
    if channel.length >= MOST_EVENTS then evict('evicted_max_messages')
    elseif channel.bytes > MOST_BYTES then evict('evicted_max_bytes') end
    if not account then
      tell()
      save()
      return index
    end
    count(EVENTS, 1)
    count(BYTES, bytes)
    count(SENT, 1)
    return answer('ok', index, 0)
  `,
  /** credentials, since, waits: never, if there is nothing, always; node, what the wait is called there */
  admit: `
    local token, id, handle = credentials(ARGV[3])
    local wrong = refusal(token, handle)
    if wrong then return wrong end
    if channel.state == 'asleep' then return answer('asleep') end
    if not named(id) then return answer('participant_not_in_channel') end
    seen(handle)
    local since, waits = tonumber(ARGV[4]), ARGV[5]
    if waits == 'always' or (waits == 'if_empty' and since >= channel.length) then
      wait(handle, ARGV[6])
      hold(handle, ARGV[6], ARGV[7])
    end
    return answer('ok', page(since), channel.length, roster())
  `,
  /** since */
  read: `
    if not load() or channel.state == 'gone' then return { 'unknown', 0 } end
    return { 'ok', 0, page(tonumber(ARGV[3])), channel.length, roster() }
  `,
  /** first, last */
  events: `
    return { 'ok', 0, redis.call('LRANGE', base .. LOG, ARGV[3], ARGV[4]) }
  `,
  /** node, then who waits there: they stay; answers the length */
  renew: `
    if not load() then return { 'unknown', 0 } end
    if channel.state == 'gone' then return gone() end
    for i = 4, #ARGV do
      touch()
      wait(ARGV[i], ARGV[3])
      renew_held(ARGV[i], ARGV[3])
    end
    return answer('ok', channel.length)
  `,
  /** node, who no longer waits there */
  unwait: `
    if not load(ARGV[4]) or channel.state == 'gone' then return { 'unknown', 0 } end
    redis.call('HDEL', base, WAITING .. ARGV[4] .. '@' .. ARGV[3])
    let_go(ARGV[4], ARGV[3])
    if channel.member then seen(ARGV[4])
    elseif channel.state ~= 'asleep' then touch() end
    return answer('ok')
  `,
  /** node, who waits there, and which of their waits is over, of several */
  release: `
    if redis.call('EXISTS', base) == 1 then let_go(ARGV[4], ARGV[3], ARGV[5]) end
    return { 'ok', 0 }
  `,
  /** credentials */
  leave: `
    local token, id, handle = credentials(ARGV[3])
    local wrong = refusal_awake(token, handle)
    if wrong then return wrong end
    local leaver = named(id)
    if not leaver then return answer('participant_not_in_channel') end
    touch()
    remove(handle, leaver)
    if #everybody().members == 0 then evict('evicted_empty') end
    return answer('ok')
  `,
  /** Lets the clock act on the channel; answers what it holds. */
  expire: `
    if not load() then return { 'unknown', 0 } end
    expire()
    if channel.state == 'gone' then return answer('unknown') end
    return answer('ok', channel.state, #everybody().members, channel.length, whole(channel.bytes), whole(channel.active))
  `,
  /** What a list shows of it; nothing of a text or a token. */
  list: `
    if not load() then return { 'unknown', 0 } end
    expire()
    if channel.state == 'gone' then return answer('unknown') end
    local listening = 0
    for _ in pairs(everybody().waiting) do listening = listening + 1 end
    return answer('ok', channel.state, whole(channel.created), whole(channel.active), whole(channel.slept or 0), whole(channel.bytes),
      channel.length - (redis.call('HGET', base, 'notes') or 0), listening, roster())
  `,
  /** Makes room for others. */
  squeeze: `
    if not load() or channel.state == 'gone' then return { 'unknown', 0 } end
    bury('evicted_max_bytes')
    return answer('ok')
  `,
} as const;

export type ChannelFunction = keyof typeof BODIES;

/** Each operation on a channel is one of these, and so one atomic step and one round trip. */
export const CHANNELS = new RedisLibrary<ChannelFunction>({
  name: 'channels',
  shared: RECORD + STATES,
  each: 'open()',
  functions: BODIES,
  freeing: ['unwait', 'release', 'leave', 'expire', 'squeeze'],
});
