import type { StreamEvent } from './stream-event.ts';

/** Who is told. An object and not a pair of closures: an idle subscriber should weigh little. */
export interface StreamSink<Event extends StreamEvent> {
  /** Takes the event. False: no more, please, until a later `resume` of the subscription. */
  deliver(event: Event): boolean;
  /** Told once, unless the sink itself closed the subscription. */
  ended(reason: StreamEnd, cursor: number): void;
}

/** `slow`: the buffer ran over. `failed`: the store could not be read, or the sink threw. `closing`: the hub. */
export type StreamEnd = 'slow' | 'failed' | 'closing';

/** What a subscription needs of its hub. */
export interface SubscriptionHome<Event extends StreamEvent> {
  /** A page of at most `pageSize` events after the cursor. */
  read(after: number): Promise<readonly Event[]>;
  readonly pageSize: number;
  left(subscription: Subscription<Event>): void;
  report(error: unknown): void;
}

/**
 * One subscriber's way through a topic.
 *
 * | phase    | means                                   | live events are               | leaves it when                         |
 * |----------|-----------------------------------------|-------------------------------|----------------------------------------|
 * | backfill | the store has more than was handed over | dropped: the store has them   | a short page was handed over entirely  |
 * | reading  | a page is on its way (part of backfill) | kept aside, bounded           | the page comes: they follow it, deduped |
 * | live     | everything known was handed over        | handed over, or queued if full | a gap or a hint: backfill again        |
 *
 * While live, a full sink lets the queue grow up to `maxBuffered`; then the subscriber is dropped as `slow`. During
 * backfill a full sink only stops the reading, so a long history never counts as slowness.
 */
export class Subscription<Event extends StreamEvent> {
  readonly #home: SubscriptionHome<Event>;
  readonly #sink: StreamSink<Event>;
  readonly #maxBuffered: number;
  #cursor: number;
  /** Events to hand over, from `#next` on. */
  #queue: Event[] | undefined;
  #next = 0;
  /** Live events that arrived while a page was being read. */
  #aside: Event[] | undefined;
  #live = false;
  #reading = false;
  /** Something happened since the last read began that neither its page nor `#aside` may show. */
  #missed = false;
  #full = false;
  #pumping = false;
  #closed = false;

  constructor(home: SubscriptionHome<Event>, sink: StreamSink<Event>, after: number, maxBuffered: number) {
    this.#home = home;
    this.#sink = sink;
    this.#cursor = after;
    this.#maxBuffered = maxBuffered;
  }

  /** The sequence of the last event handed over. */
  get cursor(): number {
    return this.#cursor;
  }

  get live(): boolean {
    return this.#live;
  }

  /** Starts, or goes on after the sink was full. */
  resume(): void {
    this.#full = false;
    this.#pump();
  }

  /** Leaves without a word. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#clearQueue();
    this.#aside = undefined;
    this.#home.left(this);
  }

  /** A live event, after its commit. */
  offer(event: Event): void {
    if (this.#closed || event.seq <= this.#tail()) return;
    if (!this.#live) {
      this.#keepAside(event);
    } else if (event.prev > this.#tail()) {
      this.hint(event.seq);
    } else if (this.#full || this.#queued() > 0) {
      this.#enqueue(event);
    } else {
      this.#handOver(event);
      this.#pump();
    }
  }

  /** The store may hold events up to `seq` that were not offered. */
  hint(seq: number): void {
    if (this.#closed || seq <= this.#tail()) return;
    this.#live = false;
    this.#missed = true;
    this.#pump();
  }

  end(reason: StreamEnd): void {
    if (this.#closed) return;
    this.close();
    this.#sink.ended(reason, this.#cursor);
  }

  #tail(): number {
    return this.#queue?.at(-1)?.seq ?? this.#cursor;
  }

  #queued(): number {
    return this.#queue ? this.#queue.length - this.#next : 0;
  }

  #enqueue(event: Event): void {
    if (this.#queued() >= this.#maxBuffered) {
      this.end('slow');
      return;
    }
    this.#queue = this.#queue?.slice(this.#next) ?? [];
    this.#next = 0;
    this.#queue.push(event);
  }

  #keepAside(event: Event): void {
    if (!this.#reading || (this.#aside?.length ?? 0) >= this.#maxBuffered) {
      this.#missed = true;
      return;
    }
    this.#aside ??= [];
    this.#aside.push(event);
  }

  #handOver(event: Event): void {
    this.#cursor = event.seq;
    try {
      if (!this.#sink.deliver(event)) this.#full = true;
    } catch (error) {
      this.#home.report(error);
      this.end('failed');
    }
  }

  /** A sink may call back (resume, close, publish) while it is handed an event; only the outermost call goes on. */
  #pump(): void {
    if (this.#pumping || this.#closed) return;
    this.#pumping = true;
    this.#drain();
    this.#pumping = false;
    if (!this.#closed && !this.#full && !this.#reading && !this.#live) this.#read();
  }

  #drain(): void {
    while (this.#queue && !this.#full) {
      const event = this.#queue[this.#next];
      this.#next += 1;
      if (event) this.#handOver(event);
      else this.#clearQueue();
    }
  }

  #clearQueue(): void {
    this.#queue = undefined;
    this.#next = 0;
  }

  #read(): void {
    this.#reading = true;
    this.#missed = false;
    this.#home.read(this.#cursor).then(
      (page) => this.#take(page),
      (error: unknown) => {
        this.#home.report(error);
        this.end('failed');
      },
    );
  }

  #take(page: readonly Event[]): void {
    if (this.#closed) return;
    this.#reading = false;
    const aside = this.#aside;
    this.#aside = undefined;
    this.#queue = page.filter((event) => event.seq > this.#cursor);
    this.#next = 0;
    this.#pumping = true;
    this.#drain();
    this.#pumping = false;
    const complete = page.length < this.#home.pageSize && this.#queued() === 0;
    if (complete && !this.#missed && !this.#closed) {
      this.#live = true;
      for (const event of aside ?? []) this.offer(event);
    }
    this.#pump();
  }
}
