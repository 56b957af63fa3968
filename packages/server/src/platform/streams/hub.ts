import type { TimerWheel } from '../timer-wheel.ts';
import type { StreamEvent, StreamSource } from './stream-event.ts';
import { type StreamSink, Subscription, type SubscriptionHome } from './subscription.ts';
import { Waiters } from './waiters.ts';

export interface StreamHubOptions {
  wheel: TimerWheel;
  /** Events read from the store at a time. */
  pageSize?: number;
  /** Told of a store that cannot be read and of a sink that threw. */
  onError: (error: unknown) => void;
}

export interface SubscribeOptions<Event extends StreamEvent> {
  /** The cursor: events with a greater sequence are wanted. */
  after: number;
  /** All sources of one topic must read the same events, for their pages are shared. */
  source: StreamSource<Event>;
  sink: StreamSink<Event>;
  /** Undelivered live events that a subscriber may owe before it is dropped. */
  maxBuffered?: number;
}

/**
 * Who listens to what in this process. `publish` follows a commit made here, `hint` one made anywhere. A subscriber is
 * listed before its backlog is read, so nothing falls between the two, and sequences sort out what came twice.
 */
export class StreamHub<Event extends StreamEvent> {
  readonly wheel: TimerWheel;
  /** Parked long-polls; they wait for a position one past their cursor. */
  readonly waiters: Waiters<string>;
  readonly #topics = new Map<string, Topic<Event>>();
  readonly #options: StreamHubOptions;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    this.wheel = options.wheel;
    this.waiters = new Waiters(options.wheel, options.onError);
  }

  get subscribers(): number {
    return [...this.#topics.values()].reduce((sum, { members }) => sum + members.size, 0);
  }

  /** Nothing is delivered before this returns. */
  subscribe(name: string, options: SubscribeOptions<Event>): Subscription<Event> {
    const topic = this.#topics.get(name) ?? this.#open(name, options.source);
    const { sink, after, maxBuffered = 64 } = options;
    const subscription = new Subscription(topic, sink, after, maxBuffered);
    topic.members.add(subscription);
    subscription.resume();
    return subscription;
  }

  /** Call it after the commit: the event is readable from the store by now. */
  publish(name: string, event: Event): void {
    const topic = this.#topics.get(name);
    if (topic) {
      topic.changes += 1;
      for (const subscription of topic.members) subscription.offer(event);
    }
    this.waiters.wake(name, event.seq);
  }

  /** Something up to `seq` changed in the store; whoever has not seen it reads on from its own cursor. */
  hint(name: string, seq = Number.POSITIVE_INFINITY): void {
    const topic = this.#topics.get(name);
    if (topic) {
      topic.changes += 1;
      for (const subscription of topic.members) subscription.hint(seq);
    }
    this.waiters.wake(name, seq);
  }

  /** Hints may have been lost: everyone who listens reads on from its own cursor. */
  hintAll(): void {
    for (const name of this.#topics.keys()) this.hint(name);
    this.waiters.wakeAll();
  }

  /** Lets everyone go at once, for a server that stops. */
  close(): void {
    for (const topic of this.#topics.values()) {
      for (const subscription of topic.members) subscription.end('closing');
    }
    this.waiters.endAll();
  }

  #open(name: string, source: StreamSource<Event>): Topic<Event> {
    const topic = new Topic(source, this.#options, () => {
      if (topic.members.size === 0) this.#topics.delete(name);
    });
    this.#topics.set(name, topic);
    return topic;
  }
}

class Topic<Event extends StreamEvent> implements SubscriptionHome<Event> {
  readonly members = new Set<Subscription<Event>>();
  readonly pageSize: number;
  readonly report: (error: unknown) => void;
  /** Counts publications and hints, to know whether a page under way can be shared. */
  changes = 0;
  readonly #source: StreamSource<Event>;
  readonly #onLeave: () => void;
  readonly #reads = new Map<number, { changes: number; page: Promise<readonly Event[]> }>();

  constructor(
    source: StreamSource<Event>,
    { pageSize = 100, onError }: StreamHubOptions,
    onLeave: () => void,
  ) {
    this.#source = source;
    this.pageSize = pageSize;
    this.report = onError;
    this.#onLeave = onLeave;
  }

  left(subscription: Subscription<Event>): void {
    if (this.members.delete(subscription)) this.#onLeave();
  }

  /**
   * Many ask for the same page at once, after a hint or a restart. They share one read, and so one copy of each event, as
   * long as nothing changed since the read began: a later subscriber would not have been offered that change.
   */
  read(after: number): Promise<readonly Event[]> {
    const running = this.#reads.get(after);
    if (running && running.changes === this.changes) return running.page;
    const page = this.#source.read(after, this.pageSize);
    const read = { changes: this.changes, page };
    this.#reads.set(after, read);
    const forget = (): void => {
      if (this.#reads.get(after) === read) this.#reads.delete(after);
    };
    page.then(forget, forget);
    return page;
  }
}
