import type { EvictionReason } from '@parley/protocol/channels/errors';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';
import type { ChannelListener } from '../store.ts';
import { Watch } from './watch.ts';

const NEWS = ':e';

/** The channels that this node hears of because somebody waits in them here. */
export class Watches {
  readonly #redis: SharedRedis;
  readonly #baseOf: (channelId: string) => string;
  readonly #watches = new Map<string, Watch>();
  readonly #listeners: ChannelListener[] = [];
  readonly #displaced: string;
  #waits = 0;
  /** Those that are being admitted. What is said of one of them may be heard before its answer, and holds once it waits. */
  readonly #coming = new Map<string, 'wanted' | 'displaced'>();
  readonly #hear = (from: string, message: string): void => {
    if (from === this.#displaced) return this.#tooMany(message);
    const opening = from.indexOf('{');
    const channelId = from.slice(opening + 1, from.indexOf('}', opening));
    const watch = from.endsWith(NEWS) ? this.#watches.get(channelId) : undefined;
    if (watch) this.#tell(watch, message);
  };

  constructor(redis: SharedRedis, baseOf: (channelId: string) => string, node: string) {
    this.#redis = redis;
    this.#baseOf = baseOf;
    this.#displaced = redis.key(`displaced:${node}`);
    redis.listening.on('message', this.#hear);
  }

  /** What a poll or stream is called that may come to wait here: those have limits of their own. */
  expect(kind: string): string {
    this.#waits += 1;
    const waitId = `${kind}${this.#waits}`;
    this.#coming.set(waitId, 'wanted');
    return waitId;
  }

  /** It waits by now, if it does at all. */
  arrived(channelId: string, waitId: string): void {
    const state = this.#coming.get(waitId);
    this.#coming.delete(waitId);
    if (state === 'displaced') this.#displace(channelId, waitId);
  }

  /** Hears which of those that wait here are too many. */
  async start(): Promise<void> {
    await this.#redis.listening.subscribe(this.#displaced);
  }

  get all(): readonly Watch[] {
    return [...this.#watches.values()];
  }

  get(channelId: string): Watch | undefined {
    return this.#watches.get(channelId);
  }

  subscribe(listener: ChannelListener): void {
    this.#listeners.push(listener);
  }

  /** Begins to hear of the channel, unless this node does already. */
  open(channelId: string): Watch {
    const known = this.#watches.get(channelId);
    if (known) return known;
    const subscribed = this.#redis.listening.subscribe(this.#baseOf(channelId) + NEWS);
    const watch = new Watch(channelId, subscribed);
    this.#watches.set(channelId, watch);
    subscribed.catch(() => {
      if (this.#watches.get(channelId) === watch) this.#watches.delete(channelId);
    });
    return watch;
  }

  close({ channelId }: Watch): void {
    if (!this.#watches.delete(channelId)) return;
    this.#redis.listening.unsubscribe(this.#baseOf(channelId) + NEWS).catch(() => {});
  }

  closeAll(): void {
    this.#redis.listening.off('message', this.#hear);
    this.#redis.listening.unsubscribe(this.#displaced).catch(() => {});
    this.#watches.clear();
  }

  /** An event that was heard, or read where nothing was heard of it. */
  event(watch: Watch, index: number, json: string, roster: string): void {
    if (!watch.hear(index, json, roster)) return;
    const event = { seq: index, prev: index - 1, json };
    for (const listener of this.#listeners) listener.appended(watch.channelId, event);
  }

  ended(watch: Watch, reason: EvictionReason, secondsAgo: number): void {
    for (const listener of this.#listeners) listener.ended(watch.channelId, reason, secondsAgo);
    this.close(watch);
  }

  /** The channel is not there, and nothing is known of its end. */
  lost(watch: Watch): void {
    for (const listener of this.#listeners) listener.lost(watch.channelId);
    this.close(watch);
  }

  #tooMany(message: string): void {
    const [channelId = '', waitId = ''] = message.split('\n');
    if (this.#coming.has(waitId)) this.#coming.set(waitId, 'displaced');
    else this.#displace(channelId, waitId);
  }

  #displace(channelId: string, waitId: string): void {
    for (const listener of this.#listeners) listener.displaced(channelId, waitId);
  }

  #tell(watch: Watch, message: string): void {
    const [kind, first = '', second = '', third = ''] = message.split('\n');
    const { channelId } = watch;
    if (kind === 'event') {
      this.event(watch, Number(first), third, second);
    } else if (kind === 'left') {
      for (const listener of this.#listeners) listener.left(channelId, second, Number(first));
    } else if (kind === 'slept') {
      watch.restart(0);
      for (const listener of this.#listeners) listener.slept(channelId);
    } else {
      // Only our functions send here, with a reason of the catalogue.
      this.ended(watch, first as EvictionReason, Number(second));
    }
  }
}
