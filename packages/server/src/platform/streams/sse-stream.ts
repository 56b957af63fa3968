import type { ServerResponse } from 'node:http';
import type { SseConnection, SseEnd, SseFace, SseHandlers } from './sse.ts';
import type { StreamEvent } from './stream-event.ts';
import type { StreamEnd, StreamSink, Subscription } from './subscription.ts';
import type { Topic } from './topics.ts';

export interface SseStreamOptions<Event extends StreamEvent> {
  /** Undefined where only what is sent outside the sequence is wanted. */
  follows: (Topic<Event> & { readonly after: number }) | undefined;
  /** Made by `framedOnce`, so that all streams share the bytes. */
  frame: (event: Event) => Buffer;
  /** The first bytes, complete with blank lines. */
  first?: string;
  headers?: Record<string, string>;
  maxBuffered?: number;
  /** Whether this listener is told of an event; of all when it is left out. */
  wants?: (event: Event) => boolean;
  /** After such an event there is nothing to wait for. */
  isLast?: (event: Event) => boolean;
  onClosed?: (reason: SseEnd | StreamEnd, cursor: number) => void;
}

/** A topic's events over SSE: backlog first, then live. Beside them goes what is no event of it. */
export class SseStream<Event extends StreamEvent> implements StreamSink<Event>, SseHandlers {
  readonly #connection: SseConnection;
  readonly #subscription: Subscription<Event> | undefined;
  readonly #options: SseStreamOptions<Event>;
  #ended: StreamEnd | undefined;

  constructor(face: SseFace, response: ServerResponse, options: SseStreamOptions<Event>) {
    this.#options = options;
    this.#connection = face.open(response, this, options.first, options.headers);
    const { follows, maxBuffered } = options;
    if (!follows) return;
    const { hub, topic, after, source } = follows;
    this.#subscription = hub.subscribe(topic, { after, source, sink: this, maxBuffered });
  }

  get open(): boolean {
    return this.#connection.open;
  }

  get following(): boolean {
    return this.#subscription !== undefined;
  }

  /** Sends a frame outside the sequence, such as a farewell. */
  send(frame: string | Buffer): void {
    this.#connection.send(frame);
  }

  end(): void {
    this.#connection.end();
  }

  deliver(event: Event): boolean {
    const { frame, wants, isLast } = this.#options;
    if (wants?.(event) === false) return true;
    const more = this.#connection.send(frame(event));
    if (isLast?.(event)) this.end();
    return more;
  }

  drained(): void {
    this.#subscription?.resume();
  }

  ended(reason: StreamEnd): void {
    this.#ended = reason;
    if (reason === 'slow') this.#connection.drop();
    else this.#connection.end();
  }

  closed(reason: SseEnd): void {
    this.#subscription?.close();
    this.#options.onClosed?.(this.#ended ?? reason, this.#subscription?.cursor ?? 0);
  }
}
