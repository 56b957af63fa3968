import type { EvictionReason } from '@parley/protocol/channels/errors';
import type { Clock } from '../../platform/clock.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';
import type { ChannelSettings } from '../settings.ts';
import { type ChannelCounters, noEvictions } from '../store.ts';
import type { ChannelBook } from './book.ts';
import { type ChannelFunction, CHANNELS } from './channel-functions.ts';
import { settingsWord } from './channel-record.ts';
import { failed, type Reply } from './replies.ts';

export interface ChannelRunnerOptions {
  readonly redis: SharedRedis;
  readonly settings: ChannelSettings;
  readonly clock: Clock;
  readonly book: ChannelBook;
  readonly baseOf: (channelId: string) => string;
  /** The end of a channel was announced: it comes when the notice time is over. */
  readonly closing: (channelId: string) => void;
}

/** What an account begins with, in the order of our functions. */
type Counts = readonly [number, number, number, number, number, number, number, number];

/** Runs the functions of channels, and notes what each changed beside its channel. */
export class ChannelRunner {
  readonly #options: ChannelRunnerOptions;
  readonly #settings: string;
  readonly #since = { created: 0, sent: 0, hibernations: 0, resumes: 0 };
  readonly #evictions = noEvictions();

  constructor(options: ChannelRunnerOptions) {
    this.#options = options;
    this.#settings = settingsWord(options.settings);
  }

  async run(step: ChannelFunction, channelId: string, args: readonly (string | number)[]): Promise<Reply> {
    const reply = this.#noted(channelId, (await this.#ask(step, channelId, args).catch(failed)) as Reply);
    if (step === 'create' && reply[0] === 'ok') this.#since.created += 1;
    return reply;
  }

  /** The busiest of all: where nothing but this happened, the answer is the index alone. */
  send(channelId: string, args: readonly string[], bytes: number): Promise<Reply> {
    const noted = (reply: unknown): Reply => {
      if (typeof reply !== 'number') return this.#noted(channelId, reply as Reply);
      this.#options.book.noteSent(bytes);
      this.#since.sent += 1;
      return ['ok', 0, reply, 0];
    };
    return this.#ask('send', channelId, args).then(noted, failed);
  }

  /** What happened through this node. */
  sinceStart(): Pick<ChannelCounters, 'created' | 'sent' | 'hibernations' | 'resumes' | 'evictions'> {
    return { ...this.#since, evictions: { ...this.#evictions } };
  }

  #ask(step: ChannelFunction, channelId: string, args: readonly (string | number)[]): Promise<unknown> {
    const { redis, clock, baseOf } = this.#options;
    return CHANNELS.run(redis.commands, clock, step, baseOf(channelId), [this.#settings, ...args]);
  }

  #noted(channelId: string, reply: Reply): Reply {
    const [, account] = reply;
    if (account === 0) return reply;
    const [channels, asleep, participants, events, bytes, sent, slept, woken] = account as Counts;
    const [evicted, address, fate] = account.slice(8) as [EvictionReason | '', string, string];
    const totals = [channels, asleep, participants, events, bytes] as const;
    this.#options.book.note(channelId, { totals, address, gone: fate === 'gone' });
    this.#since.sent += sent;
    this.#since.hibernations += slept;
    this.#since.resumes += woken;
    if (evicted !== '') this.#evictions[evicted] += 1;
    if (fate === 'closing') this.#options.closing(channelId);
    return reply;
  }
}
