import * as limits from '@parley/protocol/channels/limits';
import type { Clock } from '../../platform/clock.ts';
import { RedisScript } from '../../platform/redis/script.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';

/** What all channels of all nodes hold together. */
export interface Totals {
  readonly channels: number;
  readonly asleep: number;
  readonly participants: number;
  readonly events: number;
  readonly retainedBytes: number;
  readonly trackedAddresses: number;
}

/** What one script changed of the totals. */
export interface Account {
  readonly totals: readonly [number, number, number, number, number];
  /** Whose slot is free again. */
  readonly address: string;
  readonly gone: boolean;
}

const KEYS = `
local totals, addresses, index, stones, slot = KEYS[1], KEYS[1] .. ':addresses', KEYS[1] .. ':index', KEYS[1] .. ':stones', KEYS[1] .. ':slot:'
local NAMES = { 'channels', 'asleep', 'participants', 'events', 'bytes' }
local function held(address)
  redis.call('ZREMRANGEBYSCORE', slot .. address, '-inf', now)
  return redis.call('ZCARD', slot .. address)
end
local function known()
  local all = redis.call('HMGET', totals, unpack(NAMES))
  for i = 1, #NAMES do all[i] = tonumber(all[i] or nil) or 0 end
  all[6] = redis.call('ZCARD', addresses)
  return all
end
`;

/** Answers how many live channels the address has, and the totals. */
const LOOK = new RedisScript(`${KEYS} return { held(ARGV[2]), known() }`);

/** Takes a slot for a channel that is about to be: address, id, until when at most. */
const TAKE = new RedisScript(`${KEYS}
redis.call('ZADD', slot .. ARGV[2], ARGV[4], ARGV[3])
redis.call('PEXPIREAT', slot .. ARGV[2], math.max(tonumber(ARGV[4]), redis.call('TIME')[1] * 1000 + 60000))
redis.call('ZADD', addresses, ARGV[4], ARGV[2])
redis.call('ZADD', index, now, ARGV[3])
return known()
`);

/** Changes of the totals, then per channel: id, address whose slot is free, whether it is gone. Answers totals and stones too many. */
const SETTLE = new RedisScript(`${KEYS}
for i = 1, #NAMES do
  if ARGV[i + 1] ~= '0' then redis.call('HINCRBY', totals, NAMES[i], ARGV[i + 1]) end
end
local forgotten = {}
for i = #NAMES + 2, #ARGV, 3 do
  local id, address = ARGV[i], ARGV[i + 1]
  if address ~= '' then
    redis.call('ZREM', slot .. address, id)
    if held(address) == 0 then redis.call('ZREM', addresses, address) end
  end
  if ARGV[i + 2] == '1' then
    redis.call('ZREM', index, id)
    if redis.call('RPUSH', stones, id) > ${limits.EVICTION_MEMORY_CHANNELS} then
      forgotten[#forgotten + 1] = redis.call('LPOP', stones)
    end
  end
end
redis.call('ZREMRANGEBYSCORE', addresses, '-inf', now)
return { known(), forgotten }
`);

/** Whose turn it is to sweep: milliseconds between sweeps. One node does it for all. */
const TURN = new RedisScript(`
local last = tonumber(redis.call('GET', KEYS[1] .. ':swept') or nil)
if last and now - last < tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1] .. ':swept', string.format('%.0f', now), 'PX', 86400000)
return 1
`);

/**
 * Puts the totals right, unless they changed since they were looked at: five before, five that were counted. What a node has done and not
 * yet told looks the same as what one that died never told: only the sweep that finds the difference of the sweep before believes it.
 */
const CORRECT = new RedisScript(`${KEYS}
local all, doubt, difference = known(), KEYS[1] .. ':doubt', {}
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
`);

const NOTHING: Account['totals'] = [0, 0, 0, 0, 0];

const plus = (one: Account['totals'], other: Account['totals']): Account['totals'] => [
  one[0] + other[0],
  one[1] + other[1],
  one[2] + other[2],
  one[3] + other[3],
  one[4] + other[4],
];

/**
 * The books over all channels: totals, the slots of addresses, which channels there are. They lie in another slot of a Redis
 * cluster than the channels, so they follow a moment after: a node that dies in between leaves them a little wrong, until two
 * sweeps have found them so, at rest. Slots end with the longest life a channel can have.
 */
export class ChannelBook {
  readonly #redis: SharedRedis;
  readonly #clock: Clock;
  readonly #key: string;
  readonly #baseOf: (channelId: string) => string;
  #pending: Account['totals'] = NOTHING;
  /** Told to Redis, which has not answered yet. */
  #told: Account['totals'] = NOTHING;
  #ends: (string | number)[] = [];
  #settling: Promise<void> | undefined;
  #known: readonly number[] = [];

  constructor(redis: SharedRedis, clock: Clock, baseOf: (channelId: string) => string) {
    this.#baseOf = baseOf;
    this.#redis = redis;
    this.#clock = clock;
    this.#key = redis.key('{channels}');
  }

  /** As of the last answer, with what this node did since. */
  get totals(): Totals {
    const [channels = 0, asleep = 0, participants = 0, events = 0, retainedBytes = 0, trackedAddresses = 0] =
      this.#known;
    const since = plus(this.#told, this.#pending);
    return {
      channels: channels + since[0],
      asleep: asleep + since[1],
      participants: participants + since[2],
      events: events + since[3],
      retainedBytes: retainedBytes + since[4],
      trackedAddresses,
    };
  }

  async look(address: string): Promise<number> {
    const [held, totals] = (await this.#run(LOOK, [address])) as [number, number[]];
    this.#learn(totals);
    return held;
  }

  async take(address: string, channelId: string, until: number): Promise<void> {
    this.#learn((await this.#run(TAKE, [address, channelId, until])) as number[]);
  }

  /** Notes what a script changed; told to Redis at the end of this turn, for all scripts of the turn at once. */
  note(channelId: string, { totals, address, gone }: Account): void {
    if (totals.every((change) => change === 0) && address === '' && !gone) return;
    this.#pending = plus(this.#pending, totals);
    if (address !== '' || gone) this.#ends.push(channelId, address, gone ? 1 : 0);
    void this.settle();
  }

  /** Resolves when all that was noted is in the books. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle();
    return this.#settling;
  }

  async refresh(): Promise<void> {
    await this.look('');
  }

  async isMyTurn(everyMs: number): Promise<boolean> {
    return (await this.#run(TURN, [everyMs])) === 1;
  }

  async correct(before: Totals, counted: readonly number[]): Promise<void> {
    const was = [before.channels, before.asleep, before.participants, before.events, before.retainedBytes];
    if ((await this.#run(CORRECT, [...was, ...counted])) === 1) await this.refresh();
  }

  /** The ids of all channels, some at a time. */
  async *ids(): AsyncGenerator<readonly string[]> {
    for (let cursor = '0'; ; ) {
      const [next, found] = await this.#redis.commands.zscan(this.#indexKey, cursor, 'COUNT', 200);
      yield found.filter((_, at) => at % 2 === 0);
      if (next === '0') return;
      cursor = next;
    }
  }

  /** One that was never made, or ended without a word; those of the last minute may be about to be. */
  async forget(channelIds: readonly string[]): Promise<void> {
    const old = this.#clock.now() - 60_000;
    for (const id of channelIds) {
      const since = await this.#redis.commands.zscore(this.#indexKey, id);
      if (since !== null && Number(since) < old) await this.#redis.commands.zrem(this.#indexKey, id);
    }
  }

  get #indexKey(): string {
    return `${this.#key}:index`;
  }

  async #settle(): Promise<void> {
    // What else happens in this turn goes along.
    await Promise.resolve();
    while (this.#ends.length > 0 || this.#pending.some((change) => change !== 0)) {
      const ends = this.#ends;
      this.#told = this.#pending;
      this.#pending = NOTHING;
      this.#ends = [];
      const reply = await this.#run(SETTLE, [...this.#told, ...ends]).catch(() => undefined);
      this.#told = NOTHING;
      if (reply === undefined) break;
      const [totals, forgotten] = reply as [number[], string[]];
      this.#learn(totals);
      for (const id of forgotten) this.#redis.commands.del(this.#baseOf(id)).catch(() => {});
    }
    // In the same step as the last look at what is pending: what is noted from here on begins anew.
    this.#settling = undefined;
  }

  #learn(totals: readonly number[]): void {
    this.#known = totals;
  }

  async #run(script: RedisScript, args: readonly (string | number)[]): Promise<unknown> {
    return await script.run(this.#redis.commands, this.#clock, [this.#key], args);
  }
}
