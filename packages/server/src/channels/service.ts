import type { ServerResponse } from 'node:http';
import { type Eventually, mapped } from '../platform/eventually.ts';
import type { Log } from '../platform/log.ts';
import type { Limiter, LimitVerdict } from '../platform/limits/limiter.ts';
import type { ChannelStreams } from './channel-streams.ts';
import { ChannelError, channelGone, channelUnknown, rateLimited } from './errors.ts';
import { eventsBody, nothing, type ParkedPolls, type PollOutcome } from './parked-polls.ts';
import type { ListedChannel } from './listed-channel.ts';
import type { ChannelSettings } from './settings.ts';
import type { ChannelCredentials, ChannelStore, JoinInput, JoinResult, SendInput } from './store.ts';

/** What is limited per address, with the metric's name for it. */
export type LimitKind = 'channels' | 'joins' | 'messages';
export type Rejected = LimitKind | 'concurrent_channels';

export interface ChannelServiceOptions {
  store: ChannelStore;
  parked: ParkedPolls;
  streams: ChannelStreams;
  settings: ChannelSettings;
  limiters: Readonly<Record<LimitKind, Limiter>>;
  rejected: (kind: Rejected) => void;
  log: Log;
}

export interface PollRequest extends ChannelCredentials {
  since: number;
  /** Milliseconds the caller wants to be held at most. */
  waitMs: number | undefined;
}

/** The channels protocol without HTTP: limits, waiting and what is worth a log line around the store's rules. */
export class ChannelService {
  readonly #options: ChannelServiceOptions;

  constructor(options: ChannelServiceOptions) {
    this.#options = options;
    const { store, parked, streams, log } = options;
    store.subscribe({
      appended: (channelId, event) => {
        parked.wake(channelId, event.seq);
        streams.publish(channelId, event);
      },
      ended: (channelId, reason, secondsAgo) => {
        const gone = channelGone(reason, secondsAgo);
        parked.end(channelId, gone);
        streams.end(channelId, gone);
        log.info('channel_evicted', { channel: channelId, reason });
      },
      left: (channelId, memberKey, index) => {
        parked.left(memberKey, index);
        streams.endOf(channelId, memberKey);
      },
      lost: (channelId) => {
        parked.end(channelId, channelUnknown());
        streams.end(channelId, channelUnknown());
      },
      slept: (channelId) => log.info('channel_hibernated', { channel: channelId }),
      displaced: (channelId, waitId) => {
        parked.displace(waitId);
        streams.displace(channelId, waitId);
      },
    });
  }

  /** Spends one unit of the address's allowance; whatever follows, it stays spent. */
  spend(kind: LimitKind, address: string): Eventually<void> {
    const verdict = this.#options.limiters[kind].take(address);
    return mapped(verdict, (told) => this.#judge(kind, address, told));
  }

  #judge(kind: LimitKind, address: string, verdict: LimitVerdict): void {
    if (verdict.ok) return;
    this.#options.rejected(kind);
    this.#options.log.warn('ratelimit_reject', { endpoint: kind, ip: address, reason: 'rate_limited' });
    throw rateLimited(verdict);
  }

  /** May this address create a channel? The cap on live channels comes before the allowance and spends nothing. */
  async admitCreator(address: string): Promise<void> {
    try {
      await this.#options.store.admitCreator(address);
    } catch (error) {
      const reason = error instanceof ChannelError ? error.code : 'internal_error';
      if (reason === 'concurrent_channels_limit') this.#options.rejected('concurrent_channels');
      this.#options.log.warn('ratelimit_reject', { endpoint: 'channels', ip: address, reason });
      throw error;
    }
    await this.spend('channels', address);
  }

  async create(address: string): Promise<{ channelId: string; token: string }> {
    const created = await this.#options.store.create(address);
    this.#options.log.info('channel_created', { channel: created.channelId, ip: address });
    return created;
  }

  async join(channelId: string, input: JoinInput): Promise<JoinResult> {
    try {
      const result = await this.#options.store.join(channelId, input);
      this.#options.log.info('join', { channel: channelId, name: result.name, resumed: result.resumed });
      return result;
    } catch (error) {
      this.#failed('join_failed', channelId, error);
      throw error;
    }
  }

  /** The busiest call of all, so what the store answers at once goes on at once. */
  send(channelId: string, input: SendInput): Eventually<{ index: number; duplicate: boolean }> {
    const failed = (error: unknown): never => {
      this.#failed('send_failed', channelId, error);
      throw error;
    };
    const sent = (result: { index: number; duplicate: boolean }) => {
      const bytes = typeof input.text === 'string' ? Buffer.byteLength(input.text) : 0;
      this.#options.log.info('send', { channel: channelId, index: result.index, bytes });
      return result;
    };
    try {
      const result = this.#options.store.send(channelId, input);
      return result instanceof Promise ? result.then(sent, failed) : sent(result);
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Answers at once when there is something at the cursor, else holds the request. `onPark` gets the way to
   * forget it, for a client that goes away.
   */
  async poll(
    channelId: string,
    { since, waitMs, ...credentials }: PollRequest,
    answer: (outcome: PollOutcome) => void,
    onPark: (forget: () => void) => void,
  ): Promise<void> {
    const holdMs = Math.min(waitMs ?? this.#options.settings.pollMs, this.#options.settings.pollMs);
    const waits = holdMs === 0 ? 'never' : 'if_empty';
    const admitted = this.#options.store.admit(channelId, credentials, { since, waits });
    // Not one turn may pass between the reading and the parking: an event in between would be missed.
    const { reader, page } = admitted instanceof Promise ? await admitted : admitted;
    const body = eventsBody(page);
    if (body) answer({ kind: 'events', body });
    else if (holdMs === 0) answer(nothing(page));
    else onPark(this.#options.parked.park(reader, since, holdMs, answer));
  }

  /** Whether these credentials would be let in to follow the channel. */
  async mayFollow(channelId: string, credentials: ChannelCredentials, since: number): Promise<void> {
    await this.#options.store.admit(channelId, credentials, { since, waits: 'never' });
  }

  /** Admits a reader to the events from `since` on; what comes back opens the stream on a response. */
  async follow(
    channelId: string,
    credentials: ChannelCredentials,
    since: number,
  ): Promise<(response: ServerResponse) => void> {
    const { reader, page } = await this.#options.store.admit(channelId, credentials, {
      since,
      waits: 'always',
    });
    // A cursor from before the channel slept may lie past the end of its new log, where nothing would ever come.
    const start = Math.min(since, page.length);
    return (response) => this.#options.streams.open(reader, start, response);
  }

  /** Who, when and how much, never what. */
  listing(most: number): Eventually<readonly ListedChannel[]> {
    return this.#options.store.listing(most);
  }

  /** How many there are, and how much they hold. */
  held(): { awake: number; asleep: number; bytes: number } {
    const { channels, asleep, retainedBytes } = this.#options.store.counters();
    return { awake: channels, asleep, bytes: retainedBytes };
  }

  /** Called after every change of any channel, so it has to be quick. */
  onChange(changed: () => void): void {
    this.#options.store.subscribe({
      appended: changed,
      ended: changed,
      left: changed,
      slept: changed,
      displaced: changed,
      lost: changed,
    });
  }

  async start(): Promise<void> {
    await this.#options.store.start();
  }

  /** Answers everything that waits, for a server that stops. */
  release(): void {
    this.#options.parked.releaseAll();
    this.#options.streams.close();
  }

  async close(): Promise<void> {
    await this.#options.store.close();
  }

  async leave(channelId: string, credentials: ChannelCredentials): Promise<void> {
    await this.#options.store.leave(channelId, credentials);
    this.#options.log.info('leave', { channel: channelId });
  }

  #failed(event: string, channelId: string, error: unknown): void {
    const reason = error instanceof ChannelError ? error.code : 'internal_error';
    this.#options.log.info(event, { channel: channelId, reason });
  }
}
