import { EVICTION_REASONS, type EvictionReason } from '@parley/protocol/channels/errors';
import type { Clock } from '../../platform/clock.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';
import type { ChannelSettings } from '../settings.ts';
import type { ChannelCounters } from '../store.ts';
import type { ChannelBook } from './book.ts';
import { type ChannelScript, channelScripts } from './channel-scripts.ts';
import { reached, type Reply } from './replies.ts';

export interface ChannelRunnerOptions {
  readonly redis: SharedRedis;
  readonly settings: ChannelSettings;
  readonly clock: Clock;
  readonly book: ChannelBook;
  readonly baseOf: (channelId: string) => string;
  /** The end of a channel was announced: it comes when the notice time is over. */
  readonly closing: (channelId: string) => void;
}

/** Runs the scripts of channels, and notes what each changed beside its channel. */
export class ChannelRunner {
  readonly #options: ChannelRunnerOptions;
  readonly #scripts;
  readonly #since = { created: 0, sent: 0, hibernations: 0, resumes: 0 };
  readonly #evictions = Object.fromEntries(EVICTION_REASONS.map((reason) => [reason, 0])) as Record<
    EvictionReason,
    number
  >;

  constructor(options: ChannelRunnerOptions) {
    this.#options = options;
    this.#scripts = channelScripts(options.settings);
  }

  async run(script: ChannelScript, channelId: string, args: readonly (string | number)[]): Promise<Reply> {
    const { redis, clock, baseOf } = this.#options;
    const run = this.#scripts[script].run(redis.commands, clock, [baseOf(channelId)], args);
    const reply = (await reached(run)) as Reply;
    this.#note(channelId, reply[1]);
    if (script === 'create' && reply[0] === 'ok') this.#since.created += 1;
    return reply;
  }

  /** What happened through this node. */
  sinceStart(): Pick<ChannelCounters, 'created' | 'sent' | 'hibernations' | 'resumes' | 'evictions'> {
    return { ...this.#since, evictions: { ...this.#evictions } };
  }

  #note(channelId: string, account: Reply[1]): void {
    const [
      channels = 0,
      asleep = 0,
      participants = 0,
      events = 0,
      bytes = 0,
      sent = 0,
      slept = 0,
      woken = 0,
    ] = account as readonly number[];
    const [evicted, address, fate] = account.slice(8) as [EvictionReason | '', string, string];
    const totals = [channels, asleep, participants, events, bytes] as const;
    this.#options.book.note(channelId, { totals, address, gone: fate === 'gone' });
    this.#since.sent += sent;
    this.#since.hibernations += slept;
    this.#since.resumes += woken;
    if (evicted !== '') this.#evictions[evicted] += 1;
    if (fate === 'closing') this.#options.closing(channelId);
  }
}
