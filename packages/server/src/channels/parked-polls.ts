import { MAX_PARKED_POLLS } from '@parley/protocol/channels/limits';
import { type Eventually, eventually } from '../platform/eventually.ts';
import type { Parts } from '../platform/parts.ts';
import { type Waiter, Waiters, type WakeReason } from '../platform/streams/waiters.ts';
import { pollBody } from './channel.ts';
import { type ChannelError, isStoreAway } from './errors.ts';
import type { ChannelReader, ChannelStore, Page } from './store.ts';

/** How a poll ends: with events, with nothing, or with the channel or what it is kept in. */
export type PollOutcome =
  | { kind: 'events'; body: Buffer }
  | { kind: 'nothing'; cursor: number; body: () => Buffer }
  | { kind: 'gone'; error: Error }
  /** Its time is over, and what there is cannot be read now. */
  | { kind: 'unread'; cursor: number; error: Error };

type Parked = Waiter<string>;

export interface ParkedPollsOptions extends Pick<Parts, 'wheel' | 'clock'> {
  store: ChannelStore;
  woke: (seconds: number) => void;
}

/**
 * Polls that wait for an event. Wakes are gathered for one turn of the event loop, so a burst of sends costs
 * one answer per poll, and all who wait at one cursor share the same bytes.
 */
export class ParkedPolls {
  readonly #options: ParkedPollsOptions;
  readonly #waiters: Waiters<string>;
  readonly #ofMember = new Map<string, Parked[]>();
  readonly #byWaitId = new Map<string, Parked>();
  /** Channels with news: since when, and where their log ended then. */
  readonly #news = new Map<string, { at: number; head: number }>();
  /** Answers of the wake in progress, by cursor. */
  #bodies = new Map<number, Eventually<Buffer | undefined>>();
  #endError: ChannelError | undefined;
  /** Where the leave event stands, while the polls of a leaver are answered. */
  #leftAt: number | undefined;
  #released = false;

  constructor(options: ParkedPollsOptions) {
    this.#options = options;
    this.#waiters = new Waiters(options.wheel);
  }

  get size(): number {
    return this.#waiters.parked;
  }

  /** Holds the poll until there is something at `since`. Returns how to forget it when its client goes away. */
  park(
    reader: ChannelReader,
    since: number,
    holdMs: number,
    answer: (outcome: PollOutcome) => void,
  ): () => void {
    if (this.#released) {
      this.#answer(reader, since, 'timeout', answer);
      return () => undefined;
    }
    const [oldest, ...others] = this.#ofMember.get(reader.memberKey) ?? [];
    if (oldest && others.length + 1 >= MAX_PARKED_POLLS) this.#waiters.settle(oldest, 'timeout');
    const parked: Parked = this.#waiters.park(reader.channelId, since, holdMs, (reason) => {
      this.#forget(reader, parked);
      this.#answer(reader, since, reason, answer);
    });
    this.#ofMember.set(reader.memberKey, [...(this.#ofMember.get(reader.memberKey) ?? []), parked]);
    if (reader.waitId !== undefined) this.#byWaitId.set(reader.waitId, parked);
    void this.#options.store.waiting(reader, 1);
    return () => {
      if (this.#waiters.unpark(parked)) this.#forget(reader, parked);
    };
  }

  /** The log of the channel now ends with the event of this index. */
  wake(channelId: string, head: number): void {
    if (this.#waiters.parkedIn(channelId) === 0) return;
    if (this.#news.size === 0) setImmediate(() => this.#deliverNews());
    const at = this.#news.get(channelId)?.at ?? this.#options.clock.monotonic();
    this.#news.set(channelId, { at, head });
  }

  /** The channel ends: whoever has something to read gets that, all others the error. */
  end(channelId: string, error: ChannelError): void {
    const news = this.#news.get(channelId);
    if (news) this.#deliver(channelId, news);
    this.#news.delete(channelId);
    this.#endError = error;
    this.#waiters.end(channelId);
    this.#endError = undefined;
  }

  /** A leaver's polls are answered with the leave event, also those that wait for a later one: it will not come. */
  left(memberKey: string, index: number): void {
    this.#bodies = new Map();
    this.#leftAt = index;
    for (const parked of this.#ofMember.get(memberKey) ?? []) this.#waiters.settle(parked, 'event');
    this.#leftAt = undefined;
  }

  /** The member has more polls than it may, and this is the oldest of them. */
  displace(waitId: string): void {
    const parked = this.#byWaitId.get(waitId);
    if (parked) this.#waiters.settle(parked, 'timeout');
  }

  /** The server stops: every waiting client gets its empty answer and comes back to whoever serves next. */
  releaseAll(): void {
    this.#released = true;
    this.#waiters.endAll();
  }

  #deliverNews(): void {
    const news = [...this.#news];
    this.#news.clear();
    for (const [channelId, about] of news) this.#deliver(channelId, about);
  }

  #deliver(channelId: string, { at, head }: { at: number; head: number }): void {
    this.#bodies = new Map();
    const answered = this.#waiters.wake(channelId, head);
    const seconds = (this.#options.clock.monotonic() - at) / 1000;
    for (let count = 0; count < answered; count++) this.#options.woke(seconds);
  }

  #answer(
    reader: ChannelReader,
    since: number,
    reason: WakeReason,
    answer: (outcome: PollOutcome) => void,
  ): void {
    if (reason === 'ended' && this.#endError) {
      answer({ kind: 'gone', error: this.#endError });
      return;
    }
    const failed = (error: Error): void => answer({ kind: 'gone', error });
    if (reason === 'event') {
      const from = Math.min(since, this.#leftAt ?? since);
      eventually(
        () => this.#body(reader.channelId, from),
        (body) => answer(body ? { kind: 'events', body } : nothing(undefined)),
        failed,
      );
      return;
    }
    eventually(
      () => this.#options.store.read(reader.channelId, since),
      (page) => answer(nothing(page)),
      (error) => answer({ kind: isStoreAway(error) ? 'unread' : 'gone', cursor: since, error }),
    );
  }

  #body(channelId: string, since: number): Eventually<Buffer | undefined> {
    const shared = this.#bodies.get(since);
    if (shared) return shared;
    const page = this.#options.store.read(channelId, since);
    const body = page instanceof Promise ? page.then(eventsBody) : eventsBody(page);
    this.#bodies.set(since, body);
    return body;
  }

  #forget(reader: ChannelReader, parked: Parked): void {
    const left = (this.#ofMember.get(reader.memberKey) ?? []).filter((other) => other !== parked);
    if (left.length > 0) this.#ofMember.set(reader.memberKey, left);
    else this.#ofMember.delete(reader.memberKey);
    if (reader.waitId !== undefined) this.#byWaitId.delete(reader.waitId);
    void this.#options.store.waiting(reader, -1);
  }
}

/** The answer to a poll when there is something at its cursor. */
export function eventsBody(page: Page | undefined): Buffer | undefined {
  if (!page || page.events.length === 0) return undefined;
  return pollBody(page.events, page.cursor, page.roster);
}

export function nothing(page: Page | undefined): PollOutcome {
  const cursor = page?.length ?? 0;
  return { kind: 'nothing', cursor, body: () => pollBody([], cursor, page?.roster ?? []) };
}
