import * as limits from '@parley/protocol/channels/limits';
import { RedisScript } from '../../platform/redis/script.ts';
import type { ChannelSettings } from '../settings.ts';
import { LEASE_MS, prelude } from './channel-prelude.ts';

/** Above each: its arguments. */
const BODIES = {
  /** token, address, id taken? */
  create: `
    if redis.call('EXISTS', base) == 1 then return { 'taken', account } end
    redis.call('HSET', base, 'token', ARGV[2], 'state', 'awake', 'created', whole(now), 'active', whole(now),
      'bytes', '0', 'length', '0', 'slot', ARGV[3])
    channel = { created = now }
    keep(base)
    count(CHANNELS, 1)
    return { 'ok', account }
  `,
  /** token, is the name valid, handle and id to resume, new handle and id, name, fingerprint, letters, shapes, most */
  join: `
    local wrong = refusal(ARGV[2])
    if wrong then return wrong end
    if channel.state == 'closing' then return gone() end
    if ARGV[3] == '0' then return answer('invalid_name') end
    local resumed = member(ARGV[4], ARGV[5])
    local name, key_fp = ARGV[8], ARGV[9]
    local holder
    if not resumed then
      local present = members()
      for _, m in ipairs(present) do
        if m.letters == ARGV[10] or m.shapes == ARGV[11] then holder = m break end
      end
      local reclaimed = false
      if holder and holder.name == name and key_fp ~= 'null' and holder.key_fp == key_fp and not waiting()[holder.handle] then
        reclaimed = now - tonumber(redis.call('HGET', SEEN, holder.handle)) >= ${limits.RECLAIM_AFTER_MS}
      end
      if not reclaimed and #present >= tonumber(ARGV[12]) then return answer('channel_full') end
      if holder and not reclaimed then return answer('name_taken') end
    end
    if channel.state == 'asleep' then
      channel.state = 'awake'
      redis.call('HSET', base, 'state', 'awake')
      count(ASLEEP, -1)
      count(RESUMES, 1)
    end
    touch()
    if resumed then
      seen(ARGV[4])
      return answer('ok', 1, resumed[2], roster(), channel.length)
    end
    if holder then remove(holder.handle, holder.name) end
    local order = channel.comers + 1
    redis.call('HSET', base, 'comers', whole(order))
    redis.call('HSET', MEMBERS, ARGV[6], cjson.encode({ ARGV[7], name, key_fp, ARGV[10], ARGV[11], order }))
    seen(ARGV[6])
    if order == 1 or redis.call('HLEN', MEMBERS) == 1 then keep(MEMBERS) keep(SEEN) end
    count(PARTICIPANTS, 1)
    append('"type":"join","from":' .. name)
    return answer('ok', 0, name, roster(), channel.length)
  `,
  /** token, handle, id, what is wrong with the text, client id, the text as JSON and its size, most events and bytes */
  send: `
    local wrong = refusal_awake(ARGV[2])
    if wrong then return wrong end
    local sender = member(ARGV[3], ARGV[4])
    if not sender then return answer('participant_not_in_channel') end
    if ARGV[5] ~= '' then return answer(ARGV[5]) end
    touch()
    seen(ARGV[3])
    local key = ARGV[6] ~= '' and ARGV[3] .. ':' .. ARGV[6]
    if key then
      local oldest = redis.call('LINDEX', ORDER, 0)
      while oldest do
        local sent = redis.call('HGET', SENDS, oldest)
        if sent and now - tonumber(string.match(sent, ' (.*)')) < ${limits.CLIENT_ID_MEMORY_MS} then break end
        redis.call('LPOP', ORDER)
        redis.call('HDEL', SENDS, oldest)
        oldest = redis.call('LINDEX', ORDER, 0)
      end
      local before = redis.call('HGET', SENDS, key)
      if before then return answer('ok', tonumber(string.match(before, '^%d+')), 1) end
    end
    local index = append('"type":"message","from":' .. sender[2], ARGV[7], tonumber(ARGV[8]))
    if key then
      redis.call('HSET', SENDS, key, whole(index) .. ' ' .. whole(now))
      if redis.call('RPUSH', ORDER, key) == 1 then keep(SENDS) keep(ORDER) end
    end
    if channel.length >= tonumber(ARGV[9]) then evict('evicted_max_messages')
    elseif channel.bytes > tonumber(ARGV[10]) then evict('evicted_max_bytes') end
    return answer('ok', index, 0)
  `,
  /** token, handle, id, since, waits: never, if there is nothing, always; node */
  admit: `
    local wrong = refusal(ARGV[2])
    if wrong then return wrong end
    if channel.state == 'asleep' then return answer('asleep') end
    local reader = member(ARGV[3], ARGV[4])
    if not reader then return answer('participant_not_in_channel') end
    touch()
    seen(ARGV[3])
    local since = tonumber(ARGV[5])
    local waits = ARGV[6] == 'always' or (ARGV[6] == 'if_empty' and since >= channel.length)
    if waits then
      redis.call('HSET', WAITING, ARGV[3] .. '@' .. ARGV[7], whole(now + ${LEASE_MS}))
      keep(WAITING)
      waiters = nil
    end
    return answer('ok', page(since), channel.length, roster(), reader[2])
  `,
  /** since */
  read: `
    if not load() or channel.state == 'gone' then return { 'unknown', account } end
    return { 'ok', account, page(tonumber(ARGV[2])), channel.length, roster() }
  `,
  /** first, last */
  events: `
    return { 'ok', account, redis.call('LRANGE', LOG, ARGV[2], ARGV[3]) }
  `,
  /** node, then who waits there: they stay; answers the length */
  renew: `
    if not load() then return { 'unknown', account } end
    if channel.state == 'gone' then return gone() end
    for i = 3, #ARGV do redis.call('HSET', WAITING, ARGV[i] .. '@' .. ARGV[2], whole(now + ${LEASE_MS})) end
    if #ARGV > 2 then touch() keep(WAITING) end
    return answer('ok', channel.length)
  `,
  /** node, who no longer waits there */
  unwait: `
    if not load() or channel.state == 'gone' then return { 'unknown', account } end
    redis.call('HDEL', WAITING, ARGV[3] .. '@' .. ARGV[2])
    if redis.call('HEXISTS', MEMBERS, ARGV[3]) == 1 then seen(ARGV[3]) end
    if channel.state ~= 'asleep' then touch() end
    return answer('ok')
  `,
  /** token, handle, id */
  leave: `
    local wrong = refusal_awake(ARGV[2])
    if wrong then return wrong end
    local leaver = member(ARGV[3], ARGV[4])
    if not leaver then return answer('participant_not_in_channel') end
    touch()
    remove(ARGV[3], leaver[2])
    if redis.call('HLEN', MEMBERS) == 0 then evict('evicted_empty') end
    return answer('ok')
  `,
  /** Lets the clock act on the channel; answers what it holds. */
  expire: `
    if not load() then return { 'unknown', account } end
    expire()
    if channel.state == 'gone' then return answer('unknown') end
    return answer('ok', channel.state, redis.call('HLEN', MEMBERS), channel.length, whole(channel.bytes), whole(channel.active))
  `,
  /** What a list shows of it; nothing of a text or a token. */
  list: `
    if not load() then return { 'unknown', account } end
    expire()
    if channel.state == 'gone' then return answer('unknown') end
    local listening = 0
    for _ in pairs(waiting()) do listening = listening + 1 end
    return answer('ok', channel.state, whole(channel.created), whole(channel.active), whole(channel.slept or 0), whole(channel.bytes),
      redis.call('HGET', base, 'messages') or '0', listening, roster())
  `,
  /** Makes room for others. */
  squeeze: `
    if not load() or channel.state == 'gone' then return { 'unknown', account } end
    bury('evicted_max_bytes')
    return answer('ok')
  `,
} as const;

export type ChannelScript = keyof typeof BODIES;

/** The scripts for these settings: nodes that are set differently run different ones. */
export function channelScripts(settings: ChannelSettings): Readonly<Record<ChannelScript, RedisScript>> {
  const head = prelude(settings);
  const entries = Object.entries(BODIES).map(([name, body]) => [name, new RedisScript(head + body)]);
  return Object.fromEntries(entries) as Record<ChannelScript, RedisScript>;
}
